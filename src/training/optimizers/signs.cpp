// Optimizers of which every parameter moves equally far, by the sign of a mean gradient: w ← w - rate · sign(u).
//
// signsgd (Bernstein et al. 2018): u is the mean gradient with decay μ, the gradient itself where μ = 0.
// lion (Chen et al. 2023): u ← β1 m + (1-β1) g, then m ← β2 m + (1-β2) g.
// With β1 = β2 = μ the second is the first.
#include "kernels/kernels.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

class Signs final : public Optimizer {
 public:
  Signs(double beta1, double beta2, size_t memory)
      : Optimizer(memory), beta1_(static_cast<float>(beta1)), beta2_(static_cast<float>(beta2)) {}

  void update(int64_t, double rate, const Parameters& parameters) override {
    for (const ParameterGroup& group : parameters.groups) {
      const double own = rate * group.rate;
      sign_update({beta1_, beta2_, static_cast<float>(own), static_cast<float>(own * group.decay)},
                  parameters.values.data() + group.first, parameters.gradients.data() + group.first,
                  memory().data() + group.first, group.count, factors(group.first));
    }
  }

 private:
  float beta1_, beta2_;
};

size_t one_mean_each(std::span<const Matrix>, size_t count) { return count; }

}  // namespace

OptimizerKind signsgd_optimizer() {
  return {.memory = one_mean_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Signs>(config.momentum, config.momentum, memory);
          },
          .decay = DecayKind::decoupled,
          .settings = {"training.momentum"}};
}

OptimizerKind lion_optimizer() {
  return {.memory = one_mean_each,
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Signs>(config.beta1, config.beta2, memory);
          },
          .decay = DecayKind::decoupled,
          .settings = {"training.beta1", "training.beta2"}};
}

}  // namespace atto
