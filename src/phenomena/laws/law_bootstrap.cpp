#include "phenomena/laws/law_bootstrap.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/random.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kLeastRest = 1e-15;  // 1 - R² is not known better than this
constexpr double kWeightShape = 4;    // exponential numbers in a weight

}  // namespace

LawFitter::LawFitter(const LawObservations& data)
    : rows_(data.y.size()),
      law_(data.regression()),
      constant_(Eigen::MatrixXd(data.y.size(), 0), data.y, data.censored) {}

std::optional<LawNumbers> LawFitter::fit(const Eigen::VectorXd& weights) const {
  const auto fit = law_.fit(weights), flat = constant_.fit(weights);
  if (!fit || !flat) return std::nullopt;
  LawNumbers made;
  made.coefficients.resize(1 + fit->slopes.size());
  made.coefficients << fit->intercept, fit->slopes;
  made.deviation = fit->deviation;
  const double ratio = flat->deviation > 0 ? fit->deviation / flat->deviation : 1;
  made.log_rest = std::log(std::clamp(ratio * ratio, kLeastRest, 1.0));
  return made;
}

double cell_weight(uint64_t seed, int64_t draw, size_t cell) {
  double weight = 0;
  for (const uint32_t word :
       random_block(seed, Purpose::bootstrap, static_cast<uint64_t>(draw), static_cast<uint32_t>(cell), 0))
    weight -= std::log((word + 0.5) * 0x1p-32);
  return weight;
}

// A coefficient moves by Σ u_i (weight_i - 1) with Σ u_i = 0. n weights of this kind over their mean have the variance
// (n - 1)/(4n + 1) and covariances -1/(4n + 1), so that moves by n/(4n + 1) Σ u², where independent errors give Σ u².
double weight_spread(size_t cells) {
  const auto n = static_cast<double>(cells);
  return std::sqrt((kWeightShape * n + 1) / n);
}

CellInfluence cell_influence(const LawObservations& data) {
  std::map<size_t, std::pair<Eigen::Index, double>> telling;  // cell → a row of it, and how many of its times are known
  for (size_t i = 0; i < data.cells.size(); ++i)
    if (!data.censored[i]) ++telling.try_emplace(data.cells[i], static_cast<Eigen::Index>(i), 0).first->second.second;
  const Eigen::Index cells = std::ssize(telling), parameters = data.x.cols() + 1;
  Eigen::MatrixXd x(cells, parameters);
  CellInfluence made;
  Eigen::Index next = 0;
  for (const auto& [cell, place] : telling) {
    made.cells.push_back(cell);
    x(next, 0) = 1;
    x.row(next).tail(data.x.cols()) = data.x.row(place.first);
    x.row(next++) *= std::sqrt(place.second);
  }
  made.a = (x.transpose() * x).llt().solve(x.transpose());
  made.rest = Eigen::MatrixXd::Identity(cells, cells) - x * made.a;
  return made;
}

Stretch stretch_of(const Eigen::MatrixXd& moves, double variance, double confidence) {
  const Eigen::MatrixXd q = moves * moves.transpose();
  const double kept = q.trace() / variance;
  const double freedom = std::max(1.0, q.trace() * q.trace() / q.squaredNorm());
  const double to_student = student_quantile(freedom, 0.5 + confidence / 2) / normal_quantile(0.5 + confidence / 2);
  return {to_student / std::sqrt(kept), freedom};
}

}  // namespace atto
