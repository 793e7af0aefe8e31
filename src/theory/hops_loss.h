// Several attention patterns that must form together: the theory of emergence (reduced_loss.h) with one to three hops.
//
// The data are T_1 × .. × T_h tokens x_{t1..th} ~ N(0, 1/d), of which one matters: the answer is W* x at a fixed place
// of every axis. Layer 1 attends along the first axis with weights softmax(a_1), at all places of the other axes alike;
// layer 2 attends to what layer 1 found along the second axis with softmax(a_2); and so on. Values pass through, and
// one map W follows the last layer:
//
//   y = W Σ_{t1..th} α_1(t1) .. α_h(th) x_{t1..th}
//
// One choice among Π T_i tokens, but made in h sparse steps, each of which is worth nothing without the others. From
// W = 0, a = 0 the gradient moves W along W* only, and in every layer the relevant score against all others alike, so
//
//   w     size of W along W*, whose own size is √d
//   Δ_i   score of the relevant place of layer i minus that of any other; s_i = 1/((T_i−1)e^{−Δ_i} + 1)
//   P   = Π s_i: attention on the relevant token
//   V   = Π (s_i² + n_i) − Π s_i², n_i = (1−s_i)²/(T_i−1): sum of the squared weights of all other tokens
//   L   = ½ [ V w² + (P w − √d)² ] / d
//
// With one hop this is the reduced loss without repetition. On the plateau, where all s_i are small, ẇ = λ e^{ΣΔ} and
// Δ̇_i = w ẇ with λ = 1/(√d Π T_i). So Δ_i − w²/2 stays, and the time to where w runs away is a Gaussian integral:
//
//   t = √d Π T_i e^{−ΣΔ_i(0)} ∫_{w(0)}^∞ e^{−h(w² − w(0)²)/2} dw,   √(π/2h) √d Π T_i from the usual start.
//
// A hop multiplies the plateau by its length: the power of T grows by one with each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace atto {

inline constexpr size_t kMostHops = 3;

struct HopsState {
  double w = 0;
  std::array<double, kMostHops> gap{};  // Δ_i; those beyond the last hop are not used
};

class HopsLoss {
 public:
  static constexpr double kStart = 0.5;  // at w = 0

  // T_i of 2 or more for each hop, at most kMostHops; d of 1 or more.
  HopsLoss(std::vector<int64_t> lengths, int64_t dimension);

  size_t hops() const { return others_.size(); }
  double growth_rate() const;  // λ √h, of the linearisation at the start

  struct Attention {
    double relevant = 0, rest = 0;  // s and 1 − s, without cancellation
  };
  Attention attention(size_t hop, double gap) const;
  double relevant(const HopsState& state) const;  // P
  double entropy(const HopsState& state) const;   // of the weights of all tokens, in nats

  double value(const HopsState& state) const;
  HopsState gradient(const HopsState& state) const;
  // Second derivatives, row-major, in the order w, Δ_1, .. Δ_h.
  std::vector<double> hessian(const HopsState& state) const;
  std::vector<double> hessian_eigenvalues(const HopsState& state) const;  // ascending
  double equilibrium(const HopsState& state) const;                       // w∞ under that attention

 private:
  struct Parts;
  Parts parts(const HopsState& state) const;

  std::vector<double> others_;  // T_i − 1
  double dimension_;
};

}  // namespace atto
