#include "theory/scores_trainer.h"

#include <cmath>

#include "kernels/random.h"
#include "kernels/simd/denormals.h"
#include "theory/scores_network.h"
#include "training/optimizers/optimizer.h"
#include "training/rate_schedule.h"

namespace atto {

struct ScoresTrainer::State {
  explicit State(const RunConfig& config)
      : task(make_regression(config.data)),
        network(task, draw_target(task, static_cast<uint64_t>(config.seeds.data))),
        parameters(network.parameter_count()),
        gradients(network.parameter_count()),
        optimizer(make_optimizer(config.training, network.parameter_count())),
        calm(config.training) {
    // Attention starts uniform, a = 0.
    const double scale = config.network.init_scale / std::sqrt(static_cast<double>(task.dimension));
    const auto seed = static_cast<uint64_t>(config.seeds.init);
    const size_t count = network.weights(parameters.span()).size();
    for (uint32_t i = 0; scale > 0 && i < count; ++i) {
      const double draw = config.network.init == InitKind::normal
                              ? standard_normal(seed, Purpose::init, 0, i)
                              : 2 * unit_real(random_block(seed, Purpose::init, 0, i, 0)[0]) - 1;
      parameters.data()[i] = static_cast<float>(draw * scale);
    }
  }

  Regression task;
  ScoresNetwork network;
  Arena<float> parameters, gradients;
  std::unique_ptr<Optimizer> optimizer;
  StopCondition calm;
  int64_t step = 0;
  std::optional<EmergenceMeasures> seen;  // of this step, once somebody has looked
};

ScoresTrainer::ScoresTrainer(const RunConfig& config) : EmergenceRun(config) { validate(config); }
ScoresTrainer::~ScoresTrainer() = default;

ScoresTrainer::State& ScoresTrainer::state() const {
  if (!state_) state_ = std::make_unique<State>(config());
  return *state_;
}

int64_t ScoresTrainer::step() const { return state_ ? state_->step : 0; }
std::span<const float> ScoresTrainer::gradients() const { return state().gradients.span(); }

BatchResult ScoresTrainer::evaluate() {
  const FlushDenormals guard;
  State& s = state();
  const double loss = config().training.gradient == GradientKind::expected
                          ? s.network.expected_gradient(s.parameters.span(), s.gradients.span())
                          : s.network.sampled_gradient(s.parameters.span(), static_cast<uint64_t>(config().seeds.data),
                                                       s.step, config().training.batch, s.gradients.span());
  s.calm.see(loss);
  return {loss, 0};
}

void ScoresTrainer::update() {
  const FlushDenormals guard;
  State& s = state();
  s.optimizer->update(s.step, rate_at(config().training, s.step), s.parameters.span(), s.gradients.span());
  ++s.step;
  s.calm.advance();
  s.seen.reset();
}

bool ScoresTrainer::should_stop() const { return state_ && state_->calm.reached(); }

std::vector<WeightView> ScoresTrainer::weights() const {
  const State& s = state();
  return {{"W", s.task.dimension, s.task.dimension, s.network.weights(s.parameters.span())},
          {"a", 1, s.task.length, s.network.scores(s.parameters.span())}};
}

EmergenceMeasures ScoresTrainer::measures() const {
  State& s = state();
  if (s.seen) return *s.seen;
  const ScoresNetwork::Summary at = s.network.summarise(s.parameters.span());
  const double d = static_cast<double>(s.task.dimension);
  EmergenceMeasures now;
  now.expected_loss = s.network.expected_loss(at, s.task.cross);
  now.test_loss = s.network.expected_loss(at, 0);
  // W* has norm √d in all; with a repeated direction, ‖W* x̃‖ = 1 and the rest has norm √(d-1).
  const bool repeats = s.task.cross > 0;
  now.repeated = repeats ? at.repeated_along : 0;
  now.projection = (at.along - now.repeated) / std::sqrt(repeats ? d - 1 : d);
  now.norm = std::sqrt(at.norm_square);
  now.relevant = at.relevant;
  now.gap = at.gap;
  now.entropy = at.entropy;
  s.seen = now;
  return now;
}

Snapshot ScoresTrainer::snapshot() const {
  State& s = state();
  const auto parameters = s.parameters.span(), memory = s.optimizer->memory();
  return {s.step, s.calm.steps(), {parameters.begin(), parameters.end()}, {memory.begin(), memory.end()}, {}};
}

void ScoresTrainer::restore(const Snapshot& snapshot) {
  State& s = state();
  restore_weights(snapshot, s.parameters.span(), s.optimizer->memory());
  s.step = snapshot.step;
  s.calm.restore(snapshot.calm_steps);
  s.seen.reset();
}

}  // namespace atto
