// The gradient flow of the theory of emergence as a run: training.rate units of time a step, so that it overlays on
// gradient descent at that rate.
#pragma once

#include "training/emergence_run.h"
#include "training/gradient_flow.h"

namespace atto {

class FlowRun final : public EmergenceRun {
 public:
  explicit FlowRun(const RunConfig& config);

  int64_t step() const override { return step_; }
  BatchResult evaluate() override;
  void update() override;
  bool should_stop() const override { return calm_.reached(); }
  std::vector<WeightView> weights() const override { return {}; }  // two or three numbers, which are observables
  EmergenceMeasures measures() const override;

 private:
  GradientFlow flow_;
  Calm calm_;
  int64_t step_ = 0;
};

}  // namespace atto
