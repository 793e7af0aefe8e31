// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), which differ in what weight decay means.
#include "training/optimizers/adam_groups.h"

namespace atto {
namespace {

class Adam final : public Optimizer {
 public:
  Adam(const TrainingConfig& config, DecayKind decay, size_t memory)
      : Optimizer(memory), constants_(config), decay_(decay) {}

  void update(int64_t step, double rate, const Parameters& parameters) override {
    float* means = memory().data();
    float* squares = means + parameters.values.size();
    const AdamConstants::At now = constants_.at(step);
    for (const ParameterGroup& group : parameters.groups)
      adam_update(now.of(group, rate, decay_), parameters.values.data() + group.first,
                  parameters.gradients.data() + group.first, means + group.first, squares + group.first, group.count,
                  factors(group.first));
  }

 private:
  AdamConstants constants_;
  DecayKind decay_;
};

size_t two_for_each(std::span<const Matrix>, size_t count) { return 2 * count; }

}  // namespace

OptimizerKind adam_optimizer() {
  return {.memory = two_for_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Adam>(config, DecayKind::penalty, memory);
          },
          .decay = DecayKind::penalty,
          .settings = {"training.beta1", "training.beta2", "training.epsilon"}};
}

OptimizerKind adamw_optimizer() {
  return {.memory = two_for_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Adam>(config, DecayKind::decoupled, memory);
          },
          .decay = DecayKind::decoupled,
          .settings = {"training.beta1", "training.beta2", "training.epsilon"}};
}

}  // namespace atto
