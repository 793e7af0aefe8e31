// Gradient descent, with momentum where a study asks for it: v ← μ v + g, w ← w - rate · v.
#include "kernels/kernels.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const TrainingConfig& config, size_t memory)
      : Optimizer(memory), momentum_(static_cast<float>(config.momentum)) {}

  void update(int64_t, double rate, const Parameters& parameters) override {
    sgd_update(static_cast<float>(rate), momentum_, parameters.values.data(), parameters.gradients.data(),
               memory().data(), memory().size(), factors());
  }

 private:
  float momentum_;
};

}  // namespace

OptimizerKind sgd_optimizer() {
  return {[](std::span<const Matrix>, size_t count) { return count; },
          [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Sgd>(config, memory);
          }};
}

}  // namespace atto
