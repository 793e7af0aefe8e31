// The gradient flow of the theory of emergence as a model: training.rate units of time a step, so that it overlays on
// gradient descent at that rate. Its two or three numbers are observables; it has no parameters.
//
// A snapshot is the step alone. The solver's own steps depend on the problem alone and a plateau takes it about a
// thousand of them, so integrating again from the start gives the same bits in no time, and the solver's innards, which
// are not ours to copy, are not kept.
#pragma once

#include "theory/emergence_model.h"
#include "theory/gradient_flow.h"

namespace atto {

class FlowModel final : public EmergenceModel {
 public:
  FlowModel(const Regression& task, double rate, const ReducedState& start = {})
      : task_(task), rate_(rate), start_(start), flow_(std::in_place, task, start) {}

  const std::vector<Matrix>& matrices() const override { return none_; }
  size_t parameter_count() const override { return 0; }
  void initialise(std::span<float>) const override {}
  // The loss at time step · rate; asked for an earlier step than before, it begins anew.
  BatchResult gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                       bool accuracy) override;
  EmergenceMeasures measures(std::span<const float> parameters) const override;
  bool flushes_denormals() const override { return false; }  // the solver's step control works down to them

 private:
  Regression task_;
  double rate_;
  ReducedState start_;
  std::vector<Matrix> none_;
  std::optional<GradientFlow> flow_;  // always there
  int64_t step_ = 0;                  // where it stands
};

}  // namespace atto
