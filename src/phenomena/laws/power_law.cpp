#include "phenomena/laws/power_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/statistics.h"
#include "phenomena/laws/law_bootstrap.h"
#include "phenomena/laws/law_forms.h"

namespace atto {
namespace {

struct FittedNumbers {
  std::vector<LawNumber> coefficients;  // ln constant, exponents
  LawNumber r2;
};

FittedNumbers bootstrap_numbers(const LawObservations& data, const LawFitter& fitter, const LawNumbers& best,
                                double confidence, int64_t resamples, uint64_t seed) {
  const Eigen::Index parameters = best.coefficients.size();
  std::vector<std::vector<double>> draws(static_cast<size_t>(parameters));
  std::vector<double> rests, cell_weights(data.cell_count);
  Eigen::VectorXd weights(data.y.size());
  for (int64_t draw = 0; draw < resamples; ++draw) {
    for (size_t cell = 0; cell < data.cell_count; ++cell) cell_weights[cell] = cell_weight(seed, draw, cell);
    for (Eigen::Index row = 0; row < weights.size(); ++row)
      weights(row) = cell_weights[data.cells[static_cast<size_t>(row)]];
    const auto drawn = fitter.fit(weights);
    if (!drawn) continue;
    for (Eigen::Index j = 0; j < parameters; ++j) draws[static_cast<size_t>(j)].push_back(drawn->coefficients(j));
    rests.push_back(drawn->log_rest);
  }
  const double cells = static_cast<double>(data.cell_count), parameter_count = static_cast<double>(parameters);
  const double widen = weight_spread(data.cell_count), tail = (1 - confidence) / 2;
  const CellInfluence influence = cell_influence(data);
  FittedNumbers numbers;
  for (Eigen::Index j = 0; j < parameters; ++j) {
    const std::vector<double>& drawn = draws[static_cast<size_t>(j)];
    const Eigen::VectorXd a = influence.a.row(j);
    const Stretch stretch = stretch_of(a.asDiagonal() * influence.rest, a.squaredNorm(), confidence);
    const double centre = best.coefficients(j), factor = widen * stretch.factor;
    const double low = centre + factor * std::min(0.0, quantile(drawn, tail) - centre);
    const double high = centre + factor * std::max(0.0, quantile(drawn, 1 - tail) - centre);
    numbers.coefficients.push_back({{centre, low, high}, stretch.freedom, {}});
  }
  // R² is too high on average, for the fit follows the noise, and a resample's is higher still by as much: what the
  // resamples lose against the estimate, the estimate has lost against the truth.
  double mean = 0;
  for (const double rest : rests) mean += rest / static_cast<double>(rests.size());
  const double centre = best.log_rest - widen * widen * (mean - best.log_rest), freedom = cells - parameter_count;
  const double factor = widen * student_quantile(freedom, 0.5 + confidence / 2) /
                        normal_quantile(0.5 + confidence / 2) * std::sqrt(cells / freedom);
  const double low = centre + factor * (quantile(rests, tail) - mean);
  const double high = centre + factor * (quantile(rests, 1 - tail) - mean);
  const double r2 = 1 - std::exp(best.log_rest);
  numbers.r2 = {{r2, std::max(0.0, std::min(1 - std::exp(high), r2)), std::max(1 - std::exp(low), r2)}, freedom, {}};
  return numbers;
}

void widen_to(const Interval& other, LawNumber& number) {
  if (!number.seen) number.seen = number;
  number.low = std::min(number.low, other.low);
  number.high = std::max(number.high, other.high);
}

// Runs without a time could have had any. Each number's interval also holds what it would be with these runs where they
// push it up most, and down most.
void add_unknown(const std::vector<std::string>& names, const std::vector<LawRun>& runs, double confidence,
                 int64_t resamples, uint64_t seed, FittedNumbers& numbers) {
  for (size_t j = 0; j < numbers.coefficients.size(); ++j) {
    for (const bool up : {true, false}) {
      PowerLaw counts;
      const LawObservations data = gather_observations(names.size(), with_unknown_at(runs, j, up), counts);
      const LawFitter fitter(data);
      const auto best = fitter.fit();
      if (!best) continue;
      const FittedNumbers other = bootstrap_numbers(data, fitter, *best, confidence, resamples, seed);
      widen_to(other.coefficients[j], numbers.coefficients[j]);
      widen_to(other.r2, numbers.r2);
    }
  }
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

  const LawFitter fitter(data);
  const auto best = fitter.fit();
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
  FittedNumbers numbers = bootstrap_numbers(data, fitter, *best, confidence, resamples, seed);
  if (law.used < law.runs) add_unknown(names, runs, confidence, resamples, seed, numbers);
  const auto powers = [](const Interval& one) {
    return Interval{std::exp(one.estimate), std::exp(one.low), std::exp(one.high)};
  };
  const LawNumber& constant = numbers.coefficients[0];
  law.constant = {powers(constant), constant.freedom, {}};
  if (constant.seen) law.constant.seen = powers(*constant.seen);
  for (size_t i = 0; i < names.size(); ++i) law.exponents[i].exponent = numbers.coefficients[i + 1];
  law.r2 = numbers.r2;
  add_left_out(data, law);
  LawComparison comparison = compare_laws(names, data.x, data.y, data.censored, data.cells);
  law.forms = std::move(comparison.forms);
  law.preferred = comparison.preferred;
  law.broken = std::move(comparison.broken);
  return law;
}

}  // namespace atto
