#include "theory/reduced_loss.h"

#include <cmath>

#include "math/spectrum.h"

namespace atto {
namespace {

double square(double x) { return x * x; }

}  // namespace

ReducedLoss::ReducedLoss(const Regression& problem) : problem_(problem) {
  validate(problem);
  const double d = static_cast<double>(problem.dimension), p = problem.cross;
  directions_ = p > 0 ? 2 : 1;
  if (p > 0) {
    target_ = {1.0, std::sqrt(d - 1)};
    train_variance_ = {p + (1 - p) / d, (1 - p) / d};
    test_variance_ = {1 / d, 1 / d};
  } else {
    target_[0] = std::sqrt(d);
    train_variance_[0] = test_variance_[0] = 1 / d;
  }
  others_ = static_cast<double>(problem.length - problem.repeat);
  noise_ = d * others_;
}

Attention ReducedLoss::attention(double gap) const {
  const double relevant = static_cast<double>(problem_.repeat);
  // Whichever side wins, the exponential stays finite.
  if (gap >= 0) {
    const double rest = others_ * std::exp(-gap);
    return {relevant / (rest + relevant), rest / (rest + relevant)};
  }
  const double lifted = relevant * std::exp(gap);
  return {lifted / (others_ + lifted), others_ / (others_ + lifted)};
}

double ReducedLoss::mixing(const ReducedState& state) const {
  return (square(state.w[0]) + square(state.w[1])) / noise_;
}

double ReducedLoss::value(const ReducedState& state, LossKind kind) const {
  const auto [s, rest] = attention(state.gap);
  const Pair& variance = kind == LossKind::train ? train_variance_ : test_variance_;
  double sum = square(rest) * mixing(state);
  for (size_t k = 0; k < 2; ++k) sum += variance[k] * square(s * state.w[k] - target_[k]);
  return sum / 2;
}

ReducedState ReducedLoss::gradient(const ReducedState& state) const {
  const auto [s, rest] = attention(state.gap);
  ReducedState slope;
  double slope_s = -rest * mixing(state);  // ∂L/∂s
  for (size_t k = 0; k < 2; ++k) {
    const double miss = train_variance_[k] * (s * state.w[k] - target_[k]);
    slope.w[k] = square(rest) * state.w[k] / noise_ + s * miss;
    slope_s += state.w[k] * miss;
  }
  slope.gap = s * rest * slope_s;  // ds/dΔa = s(1 − s)
  return slope;
}

ReducedHessian ReducedLoss::hessian(const ReducedState& state) const {
  const auto [s, rest] = attention(state.gap);
  const double ds = s * rest;
  ReducedHessian second;
  double slope_s = -rest * mixing(state), curve_s = mixing(state);  // ∂L/∂s, ∂²L/∂s²
  for (size_t k = 0; k < 2; ++k) {
    const double w = state.w[k], variance = train_variance_[k];
    second.w_w[k] = square(rest) / noise_ + variance * square(s);
    second.w_gap[k] = ds * (-2 * rest * w / noise_ + variance * (2 * s * w - target_[k]));
    slope_s += variance * w * (s * w - target_[k]);
    curve_s += variance * square(w);
  }
  second.gap_gap = square(ds) * curve_s + ds * (rest - s) * slope_s;  // d²s/dΔa² = s(1 − s)(1 − 2s)
  return second;
}

std::vector<double> ReducedLoss::hessian_eigenvalues(const ReducedState& state) const {
  const ReducedHessian second = hessian(state);
  const size_t last = directions_, rows = last + 1;
  std::vector<double> matrix(rows * rows);
  for (size_t k = 0; k < last; ++k) {
    matrix[k * rows + k] = second.w_w[k];
    matrix[k * rows + last] = matrix[last * rows + k] = second.w_gap[k];
  }
  matrix[last * rows + last] = second.gap_gap;
  return symmetric_eigenvalues(matrix, rows);
}

ReducedState ReducedLoss::equilibrium(double gap) const {
  const auto [s, rest] = attention(gap);
  ReducedState state;
  state.gap = gap;
  for (size_t k = 0; k < directions_; ++k)
    state.w[k] = train_variance_[k] * s * target_[k] / (square(rest) / noise_ + train_variance_[k] * square(s));
  return state;
}

double ReducedLoss::projection(const ReducedState& state) const {
  return (state.w[0] * target_[0] + state.w[1] * target_[1]) / std::sqrt(static_cast<double>(problem_.dimension));
}

ReducedState ReducedLoss::along_target(double w, double gap) const {
  const double scale = w / std::sqrt(static_cast<double>(problem_.dimension));
  return {{scale * target_[0], scale * target_[1]}, gap};
}

}  // namespace atto
