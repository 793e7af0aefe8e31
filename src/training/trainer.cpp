#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "data/task.h"
#include "numeric/denormals.h"
#include "numeric/error.h"
#include "training/optimizer.h"
#include "training/schedule.h"

namespace atto {
namespace {

// Rate factors (p_v / max p)^γ on the rows of every table that has one row per token; [BOS], which opens each sequence,
// and all other weights keep 1.
std::vector<float> frequency_factors(double gamma, const Task& task, const Network& network) {
  const std::vector<double> frequencies = task.frequencies();
  const double highest = *std::max_element(frequencies.begin(), frequencies.end());
  std::vector<float> factors(network.parameter_count(), 1.0f);
  for (const Matrix& matrix : network.matrices()) {
    if (matrix.name != "W_E" && matrix.name != "W_U") continue;
    const size_t width = static_cast<size_t>(matrix.columns);
    for (size_t v = 0; v < frequencies.size(); ++v)
      std::fill_n(factors.data() + matrix.offset + v * width, width,
                  static_cast<float>(std::pow(frequencies[v] / highest, gamma)));
  }
  return factors;
}

}  // namespace

struct Trainer::State {
  explicit State(const RunConfig& run)
      : config(run),
        task(make_task(run.data, static_cast<uint64_t>(run.seeds.data))),
        network(run.network, task->shape()),
        work(network.make_workspace(network.tile_lanes(run.training.batch))),
        parameters(network.parameter_count()),
        gradients(network.parameter_count()),
        optimizer(make_optimizer(run.training, network.parameter_count())),
        calm(run.training) {
    if (run.training.frequency_rate > 0)
      optimizer->scale_rates(frequency_factors(run.training.frequency_rate, *task, network));
  }

  RunConfig config;
  std::unique_ptr<Task> task;
  Network network;
  Workspace work;
  Arena<float> parameters, gradients;
  std::unique_ptr<Optimizer> optimizer;
  Calm calm;
  int64_t step = 0;
};

Trainer::Trainer(const RunConfig& config) : Trajectory(config) {
  validate(config);
  state_ = std::make_unique<State>(config);
  state_->network.initialise(static_cast<uint64_t>(config.seeds.init), state_->parameters.data());
}

Trainer::~Trainer() = default;

const Network& Trainer::network() const { return state_->network; }
const Task& Trainer::task() const { return *state_->task; }
std::span<const float> Trainer::parameters() const { return state_->parameters.span(); }
std::span<const float> Trainer::gradients() const { return state_->gradients.span(); }
int64_t Trainer::step() const { return state_->step; }

BatchResult Trainer::evaluate() {
  const FlushDenormals guard;
  State& s = *state_;
  const int64_t batch = s.config.training.batch;
  const double answers = static_cast<double>(batch) * s.task->asked();
  s.gradients.clear();
  s.work.sums = {};
  for (int64_t first = 0; first < batch; first += s.work.lanes) {
    s.work.batch().samples = static_cast<int>(std::min<int64_t>(s.work.lanes, batch - first));
    s.task->fill(
        {static_cast<uint64_t>(s.config.seeds.data), static_cast<uint64_t>(s.step), static_cast<uint32_t>(first)},
        s.work.batch());
    s.network.loss_and_gradient(s.parameters.data(), s.gradients.data(), s.work, static_cast<float>(1 / answers));
  }
  s.network.finish_gradients(s.gradients.data(), s.work);

  const BatchResult result{s.work.sums.loss / answers, s.work.sums.correct / answers};
  s.calm.see(result.loss);
  return result;
}

void Trainer::update() {
  const FlushDenormals guard;
  State& s = *state_;
  s.optimizer->update(s.step, rate_at(s.config.training, s.step), s.parameters.span(), s.gradients.span());
  ++s.step;
  s.calm.advance();
}

bool Trainer::should_stop() const { return state_->calm.reached(); }
std::optional<double> Trainer::best_loss() const { return state_->task->best_loss(); }

std::vector<WeightView> Trainer::weights() const {
  std::vector<WeightView> views;
  for (const Matrix& matrix : state_->network.matrices())
    views.push_back({matrix.name, matrix.rows, matrix.columns, parameters().subspan(matrix.offset, matrix.size())});
  return views;
}

Snapshot Trainer::snapshot() const {
  const auto parameters = state_->parameters.span();
  const auto memory = state_->optimizer->memory();
  return {state_->step, state_->calm.steps(), {parameters.begin(), parameters.end()}, {memory.begin(), memory.end()}};
}

void Trainer::restore(const Snapshot& snapshot) {
  if (snapshot.parameters.size() != state_->parameters.size() ||
      snapshot.optimizer.size() != state_->optimizer->memory().size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with another network or optimizer");
  state_->step = snapshot.step;
  state_->calm.restore(snapshot.calm_steps);
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), state_->parameters.data());
  std::copy(snapshot.optimizer.begin(), snapshot.optimizer.end(), state_->optimizer->memory().begin());
}

}  // namespace atto
