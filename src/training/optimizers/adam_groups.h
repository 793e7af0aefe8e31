// The constants of an Adam update, with the bias corrections folded into the rate and the root.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/kernels.h"
#include "training/optimizers/optimizer.h"

namespace atto {

class AdamConstants {
 public:
  explicit AdamConstants(const TrainingConfig& config)
      : beta1_(config.beta1), beta2_(config.beta2), epsilon_(config.epsilon) {}

  // Of one step.
  struct At {
    float beta1, beta2;
    double correction1;
    float root_scale, epsilon;

    AdamStep of(const ParameterGroup& group, double rate, DecayKind decay) const {
      const double own = rate * group.rate;
      return {beta1,
              beta2,
              static_cast<float>(own / correction1),
              root_scale,
              epsilon,
              decay == DecayKind::penalty ? static_cast<float>(group.decay) : 0,
              decay == DecayKind::decoupled ? static_cast<float>(own * group.decay) : 0};
    }
  };
  At at(int64_t step) const {
    return {static_cast<float>(beta1_.value), static_cast<float>(beta2_.value), beta1_.correction(step),
            static_cast<float>(1 / std::sqrt(beta2_.correction(step))), static_cast<float>(epsilon_)};
  }

 private:
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

  Beta beta1_, beta2_;
  double epsilon_;
};

}  // namespace atto
