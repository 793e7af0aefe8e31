// The gradient flow ẇ = −∂L/∂w, Δȧ = −∂L/∂Δa of the reduced training loss from w = 0, Δa = 0, integrated adaptively by
// a stiff solver. Time is what gradient descent counts as steps × learning rate.
#pragma once

#include <memory>
#include <optional>

#include "theory/reduced_loss.h"

namespace atto {

class GradientFlow {
 public:
  // Bounds on the error of a step, per variable: absolute + relative × its size.
  static constexpr double kRelativeTolerance = 1e-9;
  static constexpr double kAbsoluteTolerance = 1e-12;
  // Far beyond any training; a loss that has not fallen by then is taken never to fall.
  static constexpr double kHorizon = 1e15;

  explicit GradientFlow(const Regression& problem);
  ~GradientFlow();

  const ReducedLoss& loss() const;
  double time() const;
  const ReducedState& state() const;

  // Moves on to `time`, which may not lie in the past. The solver's steps do not depend on what is asked: times may be
  // as close as one likes, and the state at one of them is the same whatever was asked before.
  const ReducedState& advance_to(double time);

  // Moves on until the loss has fallen to `level`, and returns when that is. Nothing when `horizon` comes first; the
  // flow then stands there.
  std::optional<double> advance_to_loss(double level, LossKind kind, double horizon = kHorizon);

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

// When the flow's loss falls to `threshold` × its start; nothing if not within `horizon`. Throws Error(config) unless
// 0 < threshold < 1.
std::optional<double> crossing(const Regression& problem, double threshold, LossKind kind,
                               double horizon = GradientFlow::kHorizon);

}  // namespace atto
