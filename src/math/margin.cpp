#include "math/margin.h"

#include <algorithm>
#include <cmath>

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 believes Eigen reads scratch before writing it
#include <Eigen/LU>

#include "base/error.h"

namespace atto {
namespace {

using Eigen::Index, Eigen::VectorXd;
using Points = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Weights, of sum 1 and any sign, of the point of least norm in the flat through the chosen rows:
// [0 1ᵀ; 1 G] [μ; w] = [1; 0] with G the Gram matrix.
VectorXd least_in_flat(const Points& points, const std::vector<Index>& chosen) {
  const auto n = static_cast<Index>(chosen.size());
  Eigen::MatrixXd system = Eigen::MatrixXd::Ones(n + 1, n + 1);
  system(0, 0) = 0;
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      system(a + 1, b + 1) = points.row(chosen[static_cast<size_t>(a)]).dot(points.row(chosen[static_cast<size_t>(b)]));
  return system.fullPivLu().solve(VectorXd::Unit(n + 1, 0)).tail(n);
}

VectorXd combine(const Points& points, const std::vector<Index>& chosen, const VectorXd& weights) {
  VectorXd sum = VectorXd::Zero(points.cols());
  for (size_t i = 0; i < chosen.size(); ++i) sum += weights(static_cast<Index>(i)) * points.row(chosen[i]).transpose();
  return sum;
}

}  // namespace

std::optional<Margin> widest_margin(std::span<const double> numbers, size_t columns) {
  if (columns == 0 || numbers.empty() || numbers.size() % columns != 0)
    throw Error(ErrorKind::internal, "widest_margin needs at least one whole point");
  const Points points(numbers.data(), static_cast<Index>(numbers.size() / columns), static_cast<Index>(columns));
  const double scale = points.rowwise().squaredNorm().maxCoeff();
  constexpr double kTolerance = 1e-12;

  Index nearest = 0;
  points.rowwise().squaredNorm().minCoeff(&nearest);
  std::vector<Index> chosen = {nearest};
  VectorXd weights = VectorXd::Ones(1), least = points.row(nearest).transpose();
  // Every round lowers the norm, so no set of rows comes twice; the bound is only for what rounding may do.
  for (Index round = 0; round < 100 * points.rows(); ++round) {
    Index worst = 0;
    const double lowest = (points * least).minCoeff(&worst);
    if (lowest >= least.squaredNorm() - kTolerance * scale) break;
    if (std::find(chosen.begin(), chosen.end(), worst) != chosen.end()) break;
    chosen.push_back(worst);
    weights.conservativeResize(weights.size() + 1);
    weights(weights.size() - 1) = 0;
    for (;;) {
      const VectorXd goal = least_in_flat(points, chosen);
      if (goal.minCoeff() > kTolerance) {
        weights = goal;
        break;
      }
      // Towards the goal until a weight reaches 0; that row leaves.
      double stride = 1;
      for (Index i = 0; i < goal.size(); ++i)
        if (goal(i) <= kTolerance) stride = std::min(stride, weights(i) / (weights(i) - goal(i)));
      weights += stride * (goal - weights);
      std::vector<Index> kept;
      std::vector<double> kept_weights;
      for (Index i = 0; i < weights.size(); ++i) {
        if (weights(i) <= kTolerance) continue;
        kept.push_back(chosen[static_cast<size_t>(i)]);
        kept_weights.push_back(weights(i));
      }
      if (kept.size() == chosen.size()) break;
      chosen = kept;
      weights = Eigen::Map<const VectorXd>(kept_weights.data(), static_cast<Index>(kept_weights.size()));
    }
    least = combine(points, chosen, weights);
  }

  const double norm = least.norm();
  if (!(norm > 1e-6 * std::sqrt(scale))) return std::nullopt;  // the hull holds the origin, or all but
  least /= norm;
  const double width = (points * least).minCoeff();
  if (!(width > 0)) return std::nullopt;
  return Margin{{least.begin(), least.end()}, width};
}

}  // namespace atto
