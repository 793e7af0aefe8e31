// Gradient flow: infinitely small updates. The model integrates them itself, as a function of time
// (theory/flow_model.h), and has no parameters that anybody else could move.
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

class Flow final : public Optimizer {
 public:
  using Optimizer::Optimizer;
  void update(int64_t, double, const Parameters&) override {}
};

}  // namespace

OptimizerKind flow_optimizer() {
  return {.memory = [](std::span<const Matrix>, size_t) { return size_t{0}; },
          .make = [](const TrainingConfig&, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Flow>(memory);
          },
          .flow = true};
}

}  // namespace atto
