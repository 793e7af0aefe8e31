// Adam (Kingma and Ba 2015), with the bias corrections folded into the rate and the root.
#include <cmath>
#include <numbers>

#include "kernels/kernels.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

// How much of a mean stays with a step.
struct Beta {
  explicit Beta(double beta) : value(beta), last(-54 * std::numbers::ln2 / std::log(beta)) {}

  // 1 - β^(step + 1): the share of a mean that numbers seen so far make up.
  double correction(int64_t step) const {
    const auto t = static_cast<double>(step + 1);
    return t > last ? 1.0 : 1 - std::pow(value, t);
  }

  double value;
  double last;  // from here on β^t < 2^-54, and the difference is 1 in double precision: a power takes a while
};

class Adam final : public Optimizer {
 public:
  Adam(const TrainingConfig& config, size_t memory)
      : Optimizer(memory), beta1_(config.beta1), beta2_(config.beta2), epsilon_(config.epsilon) {}

  void update(int64_t step, double rate, const Parameters& parameters) override {
    const AdamStep constants{static_cast<float>(beta1_.value), static_cast<float>(beta2_.value),
                             static_cast<float>(rate / beta1_.correction(step)),
                             static_cast<float>(1 / std::sqrt(beta2_.correction(step))), static_cast<float>(epsilon_)};
    const size_t count = parameters.values.size();
    float* means = memory().data();  // then the mean squares
    adam_update(constants, parameters.values.data(), parameters.gradients.data(), means, means + count, count,
                factors());
  }

 private:
  Beta beta1_, beta2_;
  double epsilon_;
};

}  // namespace

OptimizerKind adam_optimizer() {
  return {[](std::span<const Matrix>, size_t count) { return 2 * count; },
          [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Adam>(config, memory);
          }};
}

}  // namespace atto
