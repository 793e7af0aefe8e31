// The gradient flow of the loss of several hops, as theory/gradient_flow.h is that of one.
#pragma once

#include "theory/hops_loss.h"
#include "theory/stiff_flow.h"

namespace atto {

class HopsFlow {
 public:
  HopsFlow(const HopsLoss& loss, const HopsState& start);

  const HopsLoss& loss() const { return loss_; }
  const HopsState& state() const { return state_; }
  // Moves on to `time`, which may not lie in the past.
  const HopsState& advance_to(double time);

 private:
  HopsLoss loss_;
  StiffFlow flow_;
  HopsState state_;
};

}  // namespace atto
