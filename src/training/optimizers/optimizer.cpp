#include "training/optimizers/optimizer.h"

#include <cmath>
#include <numbers>

#include "base/arena.h"
#include "kernels/kernels.h"

namespace atto {
namespace {

class ScaledRates : public Optimizer {
 public:
  void scale_rates(std::vector<float> factors) override { factors_ = std::move(factors); }

 protected:
  const float* factors() const { return factors_.empty() ? nullptr : factors_.data(); }

 private:
  std::vector<float> factors_;
};

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

// Adam (Kingma and Ba 2015), with the bias corrections folded into the rate and the root.
class Adam final : public ScaledRates {
 public:
  Adam(const TrainingConfig& config, size_t count)
      : beta1_(config.beta1),
        beta2_(config.beta2),
        epsilon_(config.epsilon),
        count_(count),
        memory_(optimizer_memory(config, count)) {}

  void update(int64_t step, double rate, std::span<float> parameters, std::span<const float> gradients) override {
    const AdamStep constants{static_cast<float>(beta1_.value), static_cast<float>(beta2_.value),
                             static_cast<float>(rate / beta1_.correction(step)),
                             static_cast<float>(1 / std::sqrt(beta2_.correction(step))), static_cast<float>(epsilon_)};
    adam_update(constants, parameters.data(), gradients.data(), memory_.data(), memory_.data() + count_, count_,
                factors());
  }
  std::span<float> memory() override { return memory_.span(); }

 private:
  Beta beta1_, beta2_;
  double epsilon_;
  size_t count_;
  Arena<float> memory_;  // means, then mean squares
};

class Sgd final : public ScaledRates {
 public:
  Sgd(const TrainingConfig& config, size_t count)
      : momentum_(static_cast<float>(config.momentum)), velocity_(optimizer_memory(config, count)) {}

  void update(int64_t, double rate, std::span<float> parameters, std::span<const float> gradients) override {
    sgd_update(static_cast<float>(rate), momentum_, parameters.data(), gradients.data(), velocity_.data(),
               velocity_.size(), factors());
  }
  std::span<float> memory() override { return velocity_.span(); }

 private:
  float momentum_;
  Arena<float> velocity_;
};

}  // namespace

size_t optimizer_memory(const TrainingConfig& config, size_t parameter_count) {
  return config.optimizer == "adam" ? 2 * parameter_count : parameter_count;
}

std::unique_ptr<Optimizer> make_optimizer(const TrainingConfig& config, size_t parameter_count) {
  if (config.optimizer == "adam") return std::make_unique<Adam>(config, parameter_count);
  return std::make_unique<Sgd>(config, parameter_count);
}

}  // namespace atto
