// The gradient flow of the theory of emergence as a run: training.rate units of time a step, so that it overlays on
// gradient descent at that rate.
#pragma once

#include "theory/emergence_run.h"
#include "theory/gradient_flow.h"

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

  // The step is enough. The solver's own steps depend on the problem alone and a plateau takes it about a thousand of
  // them, so integrating again from the start gives the same bits in no time, and the solver's innards, which are not
  // ours to copy, need not be kept.
  Snapshot snapshot() const override { return {step_, calm_.steps(), {}, {}, {}}; }
  void restore(const Snapshot& snapshot) override;

 private:
  std::optional<GradientFlow> flow_;  // always there
  StopCondition calm_;
  int64_t step_ = 0;
};

}  // namespace atto
