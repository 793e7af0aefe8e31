// Normalized: gradient descent in which every matrix moves equally far, w ← w - rate · √n · g/‖g‖ with n the entries of
// the matrix and ‖g‖ the length of its gradient. So the rate is the root mean square of an update, whatever the scale
// of the loss.
#include <cmath>

#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

class Normalized final : public Optimizer {
 public:
  using Optimizer::Optimizer;

  void update(int64_t, double rate, const Parameters& parameters) override {
    for (const ParameterGroup& group : parameters.groups)
      for (const Matrix& matrix : group.matrices) move(matrix, rate * group.rate, parameters);
  }

 private:
  void move(const Matrix& matrix, double rate, const Parameters& parameters) {
    const auto gradient = parameters.gradients.subspan(matrix.offset, matrix.size());
    double square = 0;
    for (const float g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
    if (square == 0) return;  // nothing to follow
    const double step = rate * std::sqrt(static_cast<double>(matrix.size()) / square);
    for (size_t i = 0; i < matrix.size(); ++i) {
      const size_t at = matrix.offset + i;
      const double factor = factors() == nullptr ? 1.0 : static_cast<double>(factors()[at]);
      parameters.values[at] -= static_cast<float>(step * factor * static_cast<double>(gradient[i]));
    }
  }
};

}  // namespace

// How many numbers it remembers between updates, here none, and its maker, which is handed that much memory.
OptimizerKind normalized_optimizer() {
  return {[](std::span<const Matrix>, size_t) { return size_t{0}; },
          [](const TrainingConfig&, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Normalized>(memory);
          }};
}

}  // namespace atto
