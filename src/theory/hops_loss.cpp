#include "theory/hops_loss.h"

#include <cmath>

#include "base/error.h"
#include "base/value.h"
#include "math/spectrum.h"

namespace atto {
namespace {

double squared(double x) { return x * x; }

}  // namespace

// Per hop: s, 1 − s, the squares s² on the relevant place and n on all others, and their derivatives by Δ:
//   s' = s(1−s),  (s²)' = 2s²(1−s),  n' = −2sn.
struct HopsLoss::Parts {
  size_t hops = 0;
  double product = 1;                                          // P
  std::array<double, kMostHops> s{}, rest{}, relevant{}, n{};  // s, 1 − s, s², n
  std::array<double, kMostHops> relevant_slope{}, n_slope{}, relevant_curve{}, n_curve{};

  // V over the hops that are not left out: a sum of positive terms, hop by hop.
  double spread(size_t leave_out = kMostHops, size_t and_out = kMostHops) const {
    double spread = 0, squares = 1;
    for (size_t i = 0; i < hops; ++i) {
      if (i == leave_out || i == and_out) continue;
      spread = spread * (relevant[i] + n[i]) + squares * n[i];
      squares *= relevant[i];
    }
    return spread;
  }
  double squares(size_t leave_out, size_t and_out = kMostHops) const {
    double squares = 1;
    for (size_t i = 0; i < hops; ++i)
      if (i != leave_out && i != and_out) squares *= relevant[i];
    return squares;
  }
  // V = V_i (s_i² + n_i) + S_i n_i with V_i and S_i = Π s² over the other hops. It is linear in s_i² and n_i, so V with
  // their derivatives in their place is the derivative of V by Δ_i; and likewise for two hops.
  double spread_with(size_t i, double relevant_i, double n_i) const {
    return spread(i) * (relevant_i + n_i) + squares(i) * n_i;
  }
  double spread_with(size_t i, double relevant_i, double n_i, size_t j, double relevant_j, double n_j) const {
    const double both = (relevant_i + n_i) * (relevant_j + n_j);
    return spread(i, j) * both + squares(i, j) * (relevant_i * n_j + n_i * relevant_j + n_i * n_j);
  }
};

HopsLoss::HopsLoss(std::vector<int64_t> lengths, int64_t dimension) : dimension_(static_cast<double>(dimension)) {
  if (lengths.empty() || lengths.size() > kMostHops || dimension < 1)
    throw Error(ErrorKind::internal,
                "no loss of " + std::to_string(lengths.size()) + " hops in dimension " + std::to_string(dimension));
  for (const int64_t length : lengths) {
    if (length < 2) throw Error(ErrorKind::internal, "a hop over " + std::to_string(length) + " tokens");
    others_.push_back(static_cast<double>(length - 1));
  }
}

double HopsLoss::growth_rate() const {
  double tokens = 1;
  for (const double others : others_) tokens *= others + 1;
  return std::sqrt(static_cast<double>(hops()) / dimension_) / tokens;
}

HopsLoss::Attention HopsLoss::attention(size_t hop, double gap) const {
  // Whichever side wins, the exponential stays finite.
  if (gap >= 0) {
    const double rest = others_[hop] * std::exp(-gap);
    return {1 / (rest + 1), rest / (rest + 1)};
  }
  const double lifted = std::exp(gap);
  return {lifted / (others_[hop] + lifted), others_[hop] / (others_[hop] + lifted)};
}

double HopsLoss::relevant(const HopsState& state) const { return parts(state).product; }

double HopsLoss::entropy(const HopsState& state) const {
  // Weights are products, so entropies add up.
  double entropy = 0;
  for (size_t i = 0; i < hops(); ++i) {
    const auto [s, rest] = attention(i, state.gap[i]);
    if (s > 0) entropy -= s * std::log(s);
    if (rest > 0) entropy -= rest * std::log(rest / others_[i]);
  }
  return entropy;
}

HopsLoss::Parts HopsLoss::parts(const HopsState& state) const {
  Parts at;
  at.hops = hops();
  for (size_t i = 0; i < hops(); ++i) {
    const auto [s, rest] = attention(i, state.gap[i]);
    at.s[i] = s;
    at.rest[i] = rest;
    at.product *= s;
    at.relevant[i] = squared(s);
    at.n[i] = squared(rest) / others_[i];
    at.relevant_slope[i] = 2 * squared(s) * rest;
    at.n_slope[i] = -2 * s * at.n[i];
    at.relevant_curve[i] = 2 * squared(s) * rest * (2 * rest - s);
    at.n_curve[i] = -2 * s * at.n[i] * (rest - 2 * s);
  }
  return at;
}

double HopsLoss::value(const HopsState& state) const {
  const Parts at = parts(state);
  const double miss = at.product * state.w - std::sqrt(dimension_);
  return (at.spread() * squared(state.w) + squared(miss)) / (2 * dimension_);
}

HopsState HopsLoss::gradient(const HopsState& state) const {
  const Parts at = parts(state);
  const double w = state.w, miss = at.product * w - std::sqrt(dimension_);
  HopsState slope;
  slope.w = (at.spread() * w + at.product * miss) / dimension_;
  for (size_t i = 0; i < hops(); ++i) {
    const double spread_slope = at.spread_with(i, at.relevant_slope[i], at.n_slope[i]);
    slope.gap[i] = (spread_slope * squared(w) / 2 + miss * w * at.product * at.rest[i]) / dimension_;
  }
  return slope;
}

std::vector<double> HopsLoss::hessian(const HopsState& state) const {
  const Parts at = parts(state);
  const double w = state.w, miss = at.product * w - std::sqrt(dimension_);
  const size_t count = hops() + 1;
  std::vector<double> second(count * count);
  second[0] = (at.spread() + squared(at.product)) / dimension_;
  for (size_t i = 0; i < hops(); ++i) {
    const double slope_i = at.product * at.rest[i];  // ∂P/∂Δ_i
    const double spread_slope = at.spread_with(i, at.relevant_slope[i], at.n_slope[i]);
    second[i + 1] = second[(i + 1) * count] = (spread_slope * w + slope_i * (miss + at.product * w)) / dimension_;
    for (size_t j = 0; j <= i; ++j) {
      const double spread_curve =
          i == j ? at.spread_with(i, at.relevant_curve[i], at.n_curve[i])
                 : at.spread_with(i, at.relevant_slope[i], at.n_slope[i], j, at.relevant_slope[j], at.n_slope[j]);
      const double curve = slope_i * (i == j ? at.rest[i] - at.s[i] : at.rest[j]);  // ∂²P/∂Δ_i∂Δ_j
      const double slopes = slope_i * at.product * at.rest[j];
      const double both = spread_curve * squared(w) / 2 + squared(w) * slopes + miss * w * curve;
      second[(i + 1) * count + j + 1] = second[(j + 1) * count + i + 1] = both / dimension_;
    }
  }
  return second;
}

std::vector<double> HopsLoss::hessian_eigenvalues(const HopsState& state) const {
  return symmetric_eigenvalues(hessian(state), hops() + 1);
}

double HopsLoss::equilibrium(const HopsState& state) const {
  const Parts at = parts(state);
  return at.product * std::sqrt(dimension_) / (at.spread() + squared(at.product));
}

}  // namespace atto
