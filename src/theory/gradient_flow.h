// The gradient flow ẇ = −∂L/∂w, Δȧ = −g ∂L/∂Δa of the reduced training loss, from w = 0, Δa = 0 unless asked otherwise.
// Time is what gradient descent counts as steps × learning rate.
//
// The published flow has g = 1: the copies of the relevant token share one score. In a network with a free score for
// each position every one of B copies gets 1/B of that gradient, and every one of the others 1/(T − B) of its opposite,
// so g = 1/B + 1/(T − B). Then B copies shorten the plateau by √B and not by B.
#pragma once

#include <optional>

#include "base/words.h"
#include "theory/reduced_loss.h"
#include "theory/stiff_flow.h"

namespace atto {

enum class Scores {
  shared,  // one for all copies of the relevant token, as published
  free,    // one for each position: the network that network.form = "scores" trains
};

template <>
struct EnumWords<Scores> {
  static constexpr std::array words{"shared", "free"};
};

class GradientFlow {
 public:
  // Far beyond any training; a loss that has not fallen by then is taken never to fall.
  static constexpr double kHorizon = 1e15;

  explicit GradientFlow(const Regression& problem, const ReducedState& start = {}, Scores scores = Scores::shared);

  const ReducedLoss& loss() const { return loss_; }
  double time() const { return flow_.time(); }
  const ReducedState& state() const { return state_; }

  // Moves on to `time`, which may not lie in the past; see theory/stiff_flow.h.
  const ReducedState& advance_to(double time);

  // Moves on until the loss has fallen to `level`, and returns when that is. Nothing when `horizon` comes first; the
  // flow then stands there.
  std::optional<double> advance_to_loss(double level, LossKind kind, double horizon = kHorizon);

 private:
  const ReducedState& stand();  // the state of the solver, unpacked

  ReducedLoss loss_;
  StiffFlow flow_;
  ReducedState state_;
};

// When the flow's loss falls to `threshold` × its start; nothing if not within `horizon`. Throws Error(config) unless
// 0 < threshold < 1.
std::optional<double> crossing(const Regression& problem, double threshold, LossKind kind,
                               double horizon = GradientFlow::kHorizon, Scores scores = Scores::shared);

}  // namespace atto
