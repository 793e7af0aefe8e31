// Gradient descent, with momentum where a study asks for it: v ← μ v + g, w ← w - rate · v. Nesterov's form looks ahead
// along the velocity: w ← w - rate · (g + μ v).
#include "kernels/kernels.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const TrainingConfig& config, bool nesterov, size_t memory)
      : Optimizer(memory), momentum_(static_cast<float>(config.momentum)), nesterov_(nesterov) {}

  void update(int64_t, double rate, const Parameters& parameters) override {
    for (const ParameterGroup& group : parameters.groups)
      sgd_update({static_cast<float>(rate * group.rate), momentum_, static_cast<float>(group.decay), nesterov_},
                 parameters.values.data() + group.first, parameters.gradients.data() + group.first,
                 memory().data() + group.first, group.count, factors(group.first));
  }

 private:
  float momentum_;
  bool nesterov_;
};

size_t one_velocity_each(std::span<const Matrix>, size_t count) { return count; }

}  // namespace

OptimizerKind sgd_optimizer() {
  return {.memory = one_velocity_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Sgd>(config, false, memory);
          },
          .decay = DecayKind::penalty,
          .settings = {"training.momentum"}};
}

OptimizerKind nesterov_optimizer() {
  return {.memory = one_velocity_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Sgd>(config, true, memory);
          },
          .decay = DecayKind::penalty,
          .settings = {"training.momentum"},
          .needs_momentum = true};
}

}  // namespace atto
