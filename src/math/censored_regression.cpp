#include "math/censored_regression.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace atto {
namespace {

// Errors below this are no errors but rounding: it keeps the likelihood of a perfect fit finite.
constexpr double kLeastDeviation = 1e-9;
// A column that the others explain up to this share of its size tells nothing of its own.
constexpr double kRankTolerance = 1e-8;

const double kLogRootTwoPi = 0.5 * std::log(2 * std::numbers::pi);

// ln Q(z) for Q(z) = P(standard normal > z), its hazard λ = φ/Q = -(ln Q)', and the curvature κ = λ(λ - z) = -(ln Q)''.
struct Tail {
  double log_probability, hazard, curvature;
};

Tail upper_tail(double z) {
  // λ = z + 1/z - 2/z³ + 10/z⁵ - …: beyond 30 the rest is below 1e-9 of κ, and Q itself would soon underflow.
  if (z > 30) {
    const double hazard = z + 1 / z - 2 / (z * z * z);
    return {-0.5 * z * z - kLogRootTwoPi - std::log(hazard), hazard, 1 - 1 / (z * z)};
  }
  const double probability = 0.5 * std::erfc(z / std::numbers::sqrt2);
  const double hazard = std::exp(-0.5 * z * z - kLogRootTwoPi) / probability;
  return {std::log(probability), hazard, hazard * (hazard - z)};
}

// Least squares by factors of full rank: `factors.solve(y)`, bit for bit. That also compiles products of whole blocks of
// reflections, which one right side never needs.
Eigen::VectorXd solve_factored(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& factors, Eigen::VectorXd y) {
  const Eigen::MatrixXd& qr = factors.matrixQR();
  const Eigen::Index rows = qr.rows(), pivots = factors.nonzeroPivots();
  double scratch = 0;  // one number per right side
  for (Eigen::Index k = 0; k < pivots; ++k) {
    const Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, 1> normal(qr, k + 1, k, rows - k - 1, 1);
    y.bottomRightCorner(rows - k, 1).applyHouseholderOnTheLeft(normal, factors.hCoeffs()(k), &scratch);
  }
  auto solution = y.head(pivots);
  qr.topLeftCorner(pivots, pivots).triangularView<Eigen::Upper>().solveInPlace(solution);
  Eigen::VectorXd ordered(pivots);
  for (Eigen::Index i = 0; i < pivots; ++i) ordered(factors.colsPermutation().indices()(i)) = y(i);
  return ordered;
}

}  // namespace

CensoredRegression::CensoredRegression(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                       const std::vector<bool>& censored)
    : design_(x.rows(), x.cols() + 1), y_(y.size()), centre_(x.cols()), scale_(x.cols()) {
  for (const bool late : {false, true}) {
    for (Eigen::Index row = 0; row < x.rows(); ++row)
      if (censored[static_cast<size_t>(row)] == late) order_.push_back(row);
    if (!late) known_ = std::ssize(order_);
  }
  design_.col(0).setOnes();
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    design_.row(row).tail(x.cols()) = x.row(order_[static_cast<size_t>(row)]);
    y_(row) = y(order_[static_cast<size_t>(row)]);
  }
  for (Eigen::Index column = 0; column < x.cols(); ++column) {
    auto values = design_.col(column + 1);
    centre_(column) = values.mean();
    // A column that is constant up to rounding is made exactly that, and so recognized.
    const double spread = (values.array() - centre_(column)).abs().maxCoeff();
    scale_(column) = spread > 1e-12 * std::abs(centre_(column)) ? spread : 0;
    if (scale_(column) > 0) values = (values.array() - centre_(column)) / scale_(column);
    else values.setZero();
  }
  y_centre_ = y_.size() > 0 ? y_.mean() : 0;
  y_.array() -= y_centre_;
}

Eigen::Index CensoredRegression::rank() const {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(design_.topRows(known_));
  factors.setThreshold(kRankTolerance);
  return known_ == 0 ? 0 : factors.rank();
}

std::optional<RegressionFit> CensoredRegression::fit(const Eigen::VectorXd& weights) const {
  if (known_ < parameters()) return std::nullopt;
  Eigen::VectorXd ordered(weights.size());
  for (Eigen::Index row = 0; row < weights.size(); ++row) ordered(row) = weights(order_[static_cast<size_t>(row)]);

  const Eigen::VectorXd roots = ordered.cwiseSqrt();
  const auto solve = [&](Eigen::Index rows) -> std::optional<Eigen::VectorXd> {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(roots.head(rows).asDiagonal() * design_.topRows(rows));
    factors.setThreshold(kRankTolerance);
    if (factors.rank() < parameters()) return std::nullopt;
    return solve_factored(factors, roots.head(rows).cwiseProduct(y_.head(rows)));
  };
  const std::optional<Eigen::VectorXd> line = solve(known_);
  if (!line) return std::nullopt;
  if (known_ < y_.size()) return maximize(ordered, *solve(y_.size()));

  const double total = ordered.sum();
  const Eigen::VectorXd errors = y_ - design_ * *line;
  const double variance = (ordered.array() * errors.array().square()).sum() / total;
  const double floored = variance + kLeastDeviation * kLeastDeviation;
  return in_given_units(*line, std::sqrt(variance), -total * (kLogRootTwoPi + 0.5 * std::log(floored) + 0.5));
}

// Newton's method in Olsen's (1978) parameters θ = (coefficients/σ, 1/σ), in which the log-likelihood is concave:
//   Σ_known w (ln γ - ½(γy - xδ)²) + Σ_censored w ln Q(γy - xδ),   γ = 1/σ, δ = γ · coefficients.
// With v = (x, -y) both kinds of row depend on vᵀθ alone: the gradient is Σ w g v and the Hessian -Σ w h v vᵀ, where
// (g, h) is (γy - xδ, 1) or (λ, κ); ln γ adds its own to the last entry. The penalty ½γ²·kLeastDeviation² keeps γ
// finite where the known rows lie on a line exactly.
RegressionFit CensoredRegression::maximize(const Eigen::VectorXd& weights, const Eigen::VectorXd& start) const {
  const Eigen::Index rows = y_.size(), last = parameters();
  const double known_weight = weights.head(known_).sum();
  Eigen::MatrixXd v(rows, last + 1);
  v << design_, -y_;
  const double floor = kLeastDeviation * kLeastDeviation;

  struct State {
    double value = 0;
    Eigen::VectorXd gradient;
    Eigen::MatrixXd curvature;  // minus the Hessian
  };
  const auto evaluate = [&](const Eigen::VectorXd& theta, bool derivatives) {
    const double gamma = theta(last);
    State state;
    state.value = known_weight * (std::log(gamma) - kLogRootTwoPi - 0.5 * gamma * gamma * floor);
    const Eigen::VectorXd z = -(v * theta);
    Eigen::VectorXd g(rows), h(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Tail tail = row < known_ ? Tail{-0.5 * z(row) * z(row), z(row), 1} : upper_tail(z(row));
      state.value += weights(row) * tail.log_probability;
      g(row) = weights(row) * tail.hazard;
      h(row) = weights(row) * tail.curvature;
    }
    if (derivatives) {
      state.gradient = v.transpose() * g;
      state.curvature = v.transpose() * h.asDiagonal() * v;
      state.gradient(last) += known_weight * (1 / gamma - gamma * floor);
      state.curvature(last, last) += known_weight * (1 / (gamma * gamma) + floor);
    }
    return state;
  };

  const Eigen::VectorXd errors = y_ - design_ * start;
  const double spread = std::sqrt((weights.array() * errors.array().square()).sum() / weights.sum() + 1e-12);
  Eigen::VectorXd theta(last + 1);
  theta << start / spread, 1 / spread;
  constexpr int kMostSteps = 200;  // a dozen are usual; a perfect fit doubles γ each step up to 1/kLeastDeviation
  State state = evaluate(theta, true);
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::VectorXd move = state.curvature.ldlt().solve(state.gradient);
    const double promise = move.dot(state.gradient);
    if (!(promise > 1e-12 * (1 + std::abs(state.value)))) break;
    double length = 1;
    while (theta(last) + length * move(last) <= 0) length /= 2;
    while (length > 1e-10 && evaluate(theta + length * move, false).value < state.value) length /= 2;
    if (length <= 1e-10) break;
    theta += length * move;
    state = evaluate(theta, true);
  }
  return in_given_units(theta.head(last) / theta(last), 1 / theta(last), state.value);
}

RegressionFit CensoredRegression::in_given_units(const Eigen::VectorXd& coefficients, double deviation,
                                                 double log_likelihood) const {
  RegressionFit fit;
  fit.slopes = coefficients.tail(centre_.size());
  for (Eigen::Index i = 0; i < scale_.size(); ++i) fit.slopes(i) = scale_(i) > 0 ? fit.slopes(i) / scale_(i) : 0;
  fit.intercept = coefficients(0) + y_centre_ - fit.slopes.dot(centre_);
  fit.deviation = deviation;
  fit.log_likelihood = log_likelihood;
  return fit;
}

}  // namespace atto
