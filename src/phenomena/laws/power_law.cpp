#include "phenomena/laws/power_law.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/random.h"
#include "math/censored_regression.h"
#include "math/statistics.h"
#include "phenomena/laws/law_forms.h"
#include "phenomena/laws/law_observations.h"

namespace atto {
namespace {

// Each cell's weight is the sum of four exponential numbers: less uneven weights than one exponential gives keep the
// resamples in the range where the estimates depend on the weights linearly, for which the stretch below is exact.
constexpr double kWeightShape = 4;

double student_to_normal(double freedom, double confidence) {
  return student_quantile(freedom, 0.5 + confidence / 2) / normal_quantile(0.5 + confidence / 2);
}

// By how much the quantiles of the weighted bootstrap must be moved out, for each coefficient (intercept first).
//
// Cells are points with weight m_g (their known runs). A coefficient is Σ a_g y_g over these, and the errors of the fit
// are M e with M = 1 - H. The bootstrap's variance is about Σ a_g² (Me)_g² = eᵀ M diag(a²) M e. For errors of equal
// variance its mean falls short of the truth Σ a_g² by the factor `kept`, and it varies like a chi-squared with
// tr(Q)²/tr(Q²) degrees of freedom, Q = M diag(a²) M.
std::vector<double> stretches(const LawObservations& data, double confidence) {
  std::map<size_t, std::pair<Eigen::Index, double>> telling;  // cell → a row of it, and how many of its times are known
  for (size_t i = 0; i < data.cells.size(); ++i)
    if (!data.censored[i]) ++telling.try_emplace(data.cells[i], static_cast<Eigen::Index>(i), 0).first->second.second;
  const Eigen::Index cells = std::ssize(telling), parameters = data.x.cols() + 1;
  Eigen::MatrixXd x(cells, parameters);
  Eigen::Index next = 0;
  for (const auto& [cell, place] : telling) {
    x(next, 0) = 1;
    x.row(next).tail(data.x.cols()) = data.x.row(place.first);
    x.row(next++) *= std::sqrt(place.second);
  }
  const Eigen::MatrixXd a = (x.transpose() * x).llt().solve(x.transpose());  // [parameter][cell]
  const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(cells, cells) - x * a;
  std::vector<double> factors;
  for (Eigen::Index j = 0; j < parameters; ++j) {
    const Eigen::VectorXd squares = a.row(j).array().square();
    const Eigen::MatrixXd q = rest * squares.asDiagonal() * rest;
    const double kept = q.trace() / squares.sum();
    const double freedom = std::max(1.0, q.trace() * q.trace() / q.squaredNorm());
    factors.push_back(student_to_normal(freedom, confidence) / std::sqrt(kept));
  }
  return factors;
}

struct LawNumbers {
  Eigen::VectorXd coefficients;  // ln constant, exponents
  double log_rest = 0;           // ln(1 - R²)
  double deviation = 0;
};

constexpr double kLeastRest = 1e-15;  // 1 - R² is not known better than this

std::optional<LawNumbers> estimate(const CensoredRegression& law, const CensoredRegression& constant,
                                   const Eigen::VectorXd& weights) {
  const auto fit = law.fit(weights), flat = constant.fit(weights);
  if (!fit || !flat) return std::nullopt;
  LawNumbers made;
  made.coefficients.resize(1 + fit->slopes.size());
  made.coefficients << fit->intercept, fit->slopes;
  made.deviation = fit->deviation;
  const double ratio = flat->deviation > 0 ? fit->deviation / flat->deviation : 1;
  made.log_rest = std::log(std::clamp(ratio * ratio, kLeastRest, 1.0));
  return made;
}

void add_intervals(const LawObservations& data, const LawNumbers& best, double confidence, int64_t resamples,
                   uint64_t seed, PowerLaw& law) {
  const CensoredRegression regression = data.regression();
  const CensoredRegression constant(Eigen::MatrixXd(data.y.size(), 0), data.y, data.censored);
  const Eigen::Index parameters = best.coefficients.size();
  std::vector<std::vector<double>> draws(static_cast<size_t>(parameters));
  std::vector<double> rests;
  Eigen::VectorXd cell_weights(static_cast<Eigen::Index>(data.cell_count)), weights(data.y.size());
  for (int64_t draw = 0; draw < resamples; ++draw) {
    for (Eigen::Index cell = 0; cell < cell_weights.size(); ++cell) {
      const auto words =
          random_block(seed, Purpose::bootstrap, static_cast<uint64_t>(draw), static_cast<uint32_t>(cell), 0);
      cell_weights(cell) = 0;
      for (const uint32_t word : words) cell_weights(cell) -= std::log((word + 0.5) * 0x1p-32);
    }
    for (Eigen::Index row = 0; row < weights.size(); ++row)
      weights(row) = cell_weights(static_cast<Eigen::Index>(data.cells[static_cast<size_t>(row)]));
    const auto drawn = estimate(regression, constant, weights);
    if (!drawn) continue;
    for (Eigen::Index j = 0; j < parameters; ++j) draws[static_cast<size_t>(j)].push_back(drawn->coefficients(j));
    rests.push_back(drawn->log_rest);
  }
  // A coefficient moves by Σ u_i (weight_i - 1) with Σ u_i = 0. n weights of this kind over their mean have the
  // variance (n - 1)/(4n + 1) and covariances -1/(4n + 1), so that moves by n/(4n + 1) Σ u², where independent errors
  // give Σ u².
  const double cells = static_cast<double>(data.cell_count), parameter_count = static_cast<double>(parameters);
  const double widen = std::sqrt((kWeightShape * cells + 1) / cells);
  const double tail = (1 - confidence) / 2;
  const std::vector<double> factors = stretches(data, confidence);
  for (Eigen::Index j = 0; j < parameters; ++j) {
    const auto i = static_cast<size_t>(j);
    const double centre = best.coefficients(j), factor = widen * factors[i];
    const double low = centre + factor * std::min(0.0, quantile(draws[i], tail) - centre);
    const double high = centre + factor * std::max(0.0, quantile(draws[i], 1 - tail) - centre);
    if (j > 0) law.exponents[i - 1].exponent = {centre, low, high};
    else law.constant = {std::exp(centre), std::exp(low), std::exp(high)};
  }
  // R² is too high on average, for the fit follows the noise, and a resample's is higher still by as much: what the
  // resamples lose against the estimate, the estimate has lost against the truth.
  double mean = 0;
  for (const double rest : rests) mean += rest / static_cast<double>(rests.size());
  const double centre = best.log_rest - widen * widen * (mean - best.log_rest);
  const double factor =
      widen * student_to_normal(cells - parameter_count, confidence) * std::sqrt(cells / (cells - parameter_count));
  const double low = centre + factor * (quantile(rests, tail) - mean);
  const double high = centre + factor * (quantile(rests, 1 - tail) - mean);
  law.r2 = {1 - std::exp(best.log_rest), std::min(1 - std::exp(high), 1 - std::exp(best.log_rest)),
            std::max(1 - std::exp(low), 1 - std::exp(best.log_rest))};
  law.r2.low = std::max(0.0, law.r2.low);
}

// The exponents without each value of each term in turn.
void add_left_out(const LawObservations& data, PowerLaw& law) {
  for (Eigen::Index term = 0; term < data.x.cols(); ++term) {
    std::vector<double> values(data.x.col(term).data(), data.x.col(term).data() + data.x.rows());
    std::sort(values.begin(), values.end());
    const auto same = [](double a, double b) { return std::abs(b - a) < 1e-9; };
    values.erase(std::unique(values.begin(), values.end(), same), values.end());
    for (const double value : values) {
      std::vector<bool> left_out;
      for (Eigen::Index row = 0; row < data.x.rows(); ++row) left_out.push_back(same(data.x(row, term), value));
      const CensoredRegression rest = data.without(left_out).regression();
      if (rest.rank() < rest.parameters()) continue;
      const auto fit = rest.fit();
      if (!fit) continue;
      for (size_t i = 0; i < law.exponents.size(); ++i) {
        const double slope = fit->slopes(static_cast<Eigen::Index>(i));
        auto& range = law.exponents[i].left_out;
        range =
            range ? std::pair(std::min(range->first, slope), std::max(range->second, slope)) : std::pair(slope, slope);
      }
    }
  }
}

double decades(double lowest_log, double highest_log) { return (highest_log - lowest_log) / std::log(10); }

}  // namespace

double PowerLaw::predict(const std::vector<double>& terms) const {
  double log_time = std::log(constant.estimate);
  for (size_t i = 0; i < terms.size(); ++i) log_time += exponents[i].exponent.estimate * std::log(terms[i]);
  return std::exp(log_time);
}

PowerLaw fit_power_law(const std::vector<std::string>& names, const std::vector<LawRun>& runs, double confidence,
                       int64_t resamples, uint64_t seed) {
  PowerLaw law;
  const LawObservations data = gather_observations(names.size(), runs, law);
  law.obstacle = obstacle_to_law(names, data, law);
  if (!law.obstacle.empty()) return law;

  const CensoredRegression constant(Eigen::MatrixXd(data.y.size(), 0), data.y, data.censored);
  const auto best = estimate(data.regression(), constant, Eigen::VectorXd::Ones(data.y.size()));
  if (!best) {
    law.obstacle = "the known times do not determine the law";
    return law;
  }
  law.deviation = best->deviation;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto column = data.x.col(static_cast<Eigen::Index>(i));
    law.exponents.push_back({names[i], {}, decades(column.minCoeff(), column.maxCoeff()), {}});
  }
  double earliest = std::numeric_limits<double>::infinity(), latest = -earliest;
  for (Eigen::Index row = 0; row < data.y.size(); ++row) {
    if (data.censored[static_cast<size_t>(row)]) continue;
    earliest = std::min(earliest, data.y(row));
    latest = std::max(latest, data.y(row));
  }
  law.time_decades = decades(earliest, latest);
  add_intervals(data, *best, confidence, resamples, seed, law);
  add_left_out(data, law);
  LawComparison comparison = compare_laws(names, data.x, data.y, data.censored, data.cells);
  law.forms = std::move(comparison.forms);
  law.preferred = comparison.preferred;
  law.broken = std::move(comparison.broken);
  return law;
}

}  // namespace atto
