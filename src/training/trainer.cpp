#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "data/diversity.h"
#include "data/population.h"
#include "data/task.h"
#include "kernels/simd/denormals.h"
#include "training/optimizers/optimizer.h"
#include "training/rate_schedule.h"

namespace atto {
namespace {

// Beyond any training step (training.steps is at most 1e12 < 2^40), and beyond the step that probes are drawn at.
constexpr uint64_t kTestStep = uint64_t{1} << 41;

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
        work(network.make_workspace(network.tile_lanes(sequences_a_step(run)))),
        parameters(network.parameter_count()),
        gradients(network.parameter_count()),
        optimizer(make_optimizer(run.training, network.parameter_count())),
        calm(run.training),
        diversity(run.data) {
    if (run.training.gradient == GradientKind::expected) {
      population.emplace(*task, sees_order(run.network));
      gradient_sums = Arena<double>(network.parameter_count());
    }
    if (run.training.frequency_rate > 0)
      optimizer->scale_rates(frequency_factors(run.training.frequency_rate, *task, network));
  }

  RunConfig config;
  std::unique_ptr<Task> task;
  Network network;
  Workspace work;
  Arena<float> parameters, gradients;
  std::unique_ptr<Optimizer> optimizer;
  StopCondition calm;
  DiversitySchedule diversity;
  std::optional<Population> population;  // where the gradient is the expected one
  Arena<double> gradient_sums;           // of its tiles
  int64_t step = 0;
  double last_loss = 0;               // of the batch of this step
  std::optional<BatchResult> tested;  // at this step, once somebody has asked

  // Loss and, if it is wanted, accuracy of `samples` sequences, tile by tile: fill_tile(first) puts some of them into
  // the batch.
  template <class Fill, class Evaluate>
  BatchResult mean_over(int64_t samples, bool accuracy, Fill fill_tile, Evaluate evaluate_tile) {
    const double answers = static_cast<double>(samples) * task->asked();
    work.sums = {.counted = accuracy};
    for (int64_t first = 0; first < samples; first += work.lanes) {
      work.batch().samples = static_cast<int>(std::min<int64_t>(work.lanes, samples - first));
      fill_tile(first);
      evaluate_tile(static_cast<float>(1 / answers));
    }
    return {work.sums.loss / answers, work.sums.correct / answers};
  }

  // The same of the first sequences of a draw.
  template <class Evaluate>
  BatchResult mean_over(const Draw& draw, int64_t samples, bool accuracy, Evaluate evaluate_tile) {
    const auto fill = [&](int64_t first) {
      Draw tile = draw;
      tile.first_sample = static_cast<uint32_t>(first);
      task->fill(tile, work.batch());
    };
    return mean_over(samples, accuracy, fill, evaluate_tile);
  }

  BatchResult sampled_gradient(bool accuracy) {
    gradients.clear();
    const Draw draw{static_cast<uint64_t>(config.seeds.data), static_cast<uint64_t>(step), 0, diversity.at(step)};
    const BatchResult result = mean_over(draw, config.training.batch, accuracy, [this](float scale) {
      network.loss_and_gradient(parameters.data(), gradients.data(), work, scale);
    });
    network.finish_gradients(gradients.data(), work);
    return result;
  }

  // Without noise the terms of the gradient cancel on a plateau almost to nothing, and Adam makes whole steps of what
  // is left. So that this is not rounding, the tiles are summed in double: in float, 2^18 sequences lose 1e-5 of the
  // terms.
  BatchResult expected_gradient(bool accuracy) {
    gradient_sums.clear();
    const auto fill = [this](int64_t first) { population->fill(first, work.batch()); };
    const BatchResult result = mean_over(population->size(), accuracy, fill, [this](float scale) {
      gradients.clear();
      network.loss_and_gradient(parameters.data(), gradients.data(), work, scale);
      network.finish_gradients(gradients.data(), work);
      for (size_t i = 0; i < gradients.size(); ++i) gradient_sums.data()[i] += gradients.data()[i];
    });
    for (size_t i = 0; i < gradients.size(); ++i) gradients.data()[i] = static_cast<float>(gradient_sums.data()[i]);
    return result;
  }

  // A step, and what it may end with; callers hold a FlushDenormals. Who will not look at the accuracy need not have it
  // counted.
  BatchResult gradient(bool accuracy) { return population ? expected_gradient(accuracy) : sampled_gradient(accuracy); }
  BatchResult evaluate(bool accuracy = true) {
    const BatchResult result = gradient(accuracy);
    last_loss = result.loss;
    calm.see(result.loss);
    return result;
  }
  void update() {
    optimizer->update(step, rate_at(config.training, step), parameters.span(), gradients.span());
    ++step;
    calm.advance();
    diversity.see(last_loss);
    tested.reset();
  }
  BatchResult test() {
    if (!tested) {
      const Draw draw{static_cast<uint64_t>(config.seeds.data), kTestStep};
      tested =
          mean_over(draw, config.training.test_samples, true, [this](float) { network.loss(parameters.data(), work); });
    }
    return *tested;
  }
  bool should_stop() {
    const TrainingConfig& training = config.training;
    if (calm.reached()) return true;
    return training.stop_test_loss >= 0 && step % training.test_every == 0 && test().loss <= training.stop_test_loss;
  }
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
  return state_->evaluate();
}

void Trainer::update() {
  const FlushDenormals guard;
  state_->update();
}

BatchResult Trainer::advance(int64_t to) {
  const FlushDenormals guard;
  State& s = *state_;
  BatchResult batch;
  do {
    s.update();
    batch = s.evaluate(s.step >= to);
  } while (s.step < to && std::isfinite(batch.loss) && !s.should_stop());
  // Where it ended early nobody had counted.
  return s.step < to ? s.gradient(true) : batch;
}

BatchResult Trainer::test() const {
  const FlushDenormals guard;
  return state_->test();
}

bool Trainer::should_stop() const {
  const FlushDenormals guard;
  return state_->should_stop();
}
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
  return {state_->step,
          state_->calm.steps(),
          {parameters.begin(), parameters.end()},
          {memory.begin(), memory.end()},
          state_->diversity.state()};
}

void Trainer::restore(const Snapshot& snapshot) {
  restore_weights(snapshot, state_->parameters.span(), state_->optimizer->memory());
  state_->step = snapshot.step;
  state_->calm.restore(snapshot.calm_steps);
  state_->diversity.restore(snapshot.extra);
  state_->tested.reset();
}

}  // namespace atto
