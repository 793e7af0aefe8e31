// ẋ = f(x) for a few variables, integrated adaptively by a stiff solver. Its steps depend on the system alone: times
// may be asked for as close as one likes, and the state at one of them is the same whatever was asked before.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace atto {

struct FlowSystem {
  static constexpr size_t kMostVariables = 4;

  std::string name;           // for messages: "the gradient flow of length = 512, ..."
  std::vector<double> start;  // x at time 0
  double first_step = 0;      // tried first; the solver shortens it where it must
  std::function<void(const double* x, double* slope)> slope;
  std::function<void(const double* x, double* jacobian)> jacobian;  // ∂slope_i/∂x_j at [i · variables + j]
};

class StiffFlow {
 public:
  // Bounds on the error of a step, per variable: absolute + relative × its size.
  static constexpr double kRelativeTolerance = 1e-9;
  static constexpr double kAbsoluteTolerance = 1e-12;

  explicit StiffFlow(FlowSystem system);
  ~StiffFlow();

  double time() const;
  std::span<const double> state() const;  // at that time

  // Moves on to `time`, which may not lie in the past.
  void advance_to(double time);

  // For whoever looks for an event: how far the solver has come, which is `time` or later; one step more; the state
  // within the last step; and standing there.
  double solved_to() const;
  void step();
  std::span<const double> inside(double when);  // until the next call
  void stand_at(double when);

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace atto
