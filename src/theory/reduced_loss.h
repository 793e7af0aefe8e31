// The theory of emergence in two or three variables (Zucchet et al. 2025, arXiv 2505.17863).
//
// The toy network y = W Σ_t softmax(a)_t x_t must answer W* x_relevant, where W* has unit columns, the T tokens are
// N(0, 1/d), the relevant one fills B positions and, with probability p, is a fixed unit vector x̃. From W = 0, a = 0
// the gradient never leaves a small subspace: W moves along W* x̃ x̃ᵀ and along the rest of W*, and all relevant scores
// move alike against all others. What is left:
//
//   w_k   size of W along direction k of W*, whose own size is c_k
//   Δa    score of a relevant position minus that of any other; attention on the relevant ones s = B/((T−B)e^{−Δa} + B)
//   L   = ½ [ (1−s)² Σw_k² / N + Σ_k σ_k (s w_k − c_k)² ],   N = d(T−B)
//
// with σ_k the variance of the relevant token along k. Without cross-sample repetition (p = 0) one direction suffices,
// c = √d and σ = 1/d; with it there are two: the repeated one, c = 1 and σ = p + (1−p)/d, and the rest, c = √(d−1) and
// σ = (1−p)/d. The test loss is that of data without cross-sample repetition: σ_k = 1/d throughout, B as in training.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/regression.h"

namespace atto {

struct ReducedState {
  std::array<double, 2> w{};  // the repeated direction, then the rest; without cross-sample repetition only the first
  double gap = 0;             // Δa
};

// Second derivatives; those between two different w vanish.
struct ReducedHessian {
  std::array<double, 2> w_w{}, w_gap{};
  double gap_gap = 0;
};

struct Attention {
  double relevant = 0;  // s: on the B relevant positions together; each has α = s/B
  double rest = 0;      // 1 − s, without cancellation
};

enum class LossKind { train, test };

class ReducedLoss {
 public:
  static constexpr double kStart = 0.5;  // both losses at w = 0, for every problem

  explicit ReducedLoss(const Regression& problem);  // validates

  const Regression& problem() const { return problem_; }
  size_t directions() const { return directions_; }  // 1, or 2 with cross-sample repetition

  Attention attention(double gap) const;
  double value(const ReducedState& state, LossKind kind = LossKind::train) const;
  // Derivatives of the training loss.
  ReducedState gradient(const ReducedState& state) const;
  ReducedHessian hessian(const ReducedState& state) const;
  std::vector<double> hessian_eigenvalues(const ReducedState& state) const;  // [directions + 1], ascending

  // w∞: where w would settle if the attention stayed as it is.
  ReducedState equilibrium(double gap) const;
  // Projection of W on W*/‖W*‖_F: the `w` of the literature, and of this state where there is one direction.
  double projection(const ReducedState& state) const;
  // The state with W = w W*/‖W*‖_F. value(along_target(w, gap)) over a grid is the loss landscape.
  ReducedState along_target(double w, double gap) const;

 private:
  using Pair = std::array<double, 2>;

  double mixing(const ReducedState& state) const;  // Σw²/N

  Regression problem_;
  size_t directions_;
  // A direction that is not there has target and variance 0, so that its w stays 0.
  Pair target_{}, train_variance_{}, test_variance_{};  // c_k, σ_k, σ_k of the test loss
  double others_;                                       // T − B
  double noise_;                                        // N = d(T − B)
};

}  // namespace atto
