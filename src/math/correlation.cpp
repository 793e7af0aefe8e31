#include "math/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace atto {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return values[i] < values[j]; });
  std::vector<double> result(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = 0.5 * static_cast<double>(first + 1 + end);  // mean of first + 1 .. end
    for (; first < end; ++first) result[order[first]] = shared;
  }
  return result;
}

double pearson(std::span<const double> x, std::span<const double> y) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (x.size() != y.size()) throw Error(ErrorKind::internal, "correlation of lists of different length");
  if (x.size() < 2) return kNan;
  const auto constant = [](std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
  };
  if (constant(x) || constant(y)) return kNan;
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double spearman(std::span<const double> x, std::span<const double> y) { return pearson(ranks(x), ranks(y)); }

double kendall(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw Error(ErrorKind::internal, "correlation of lists of different length");
  const auto order = [](double a, double b) { return (a > b) - (a < b); };
  int64_t sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < i; ++j) sum += order(x[i], x[j]) * order(y[i], y[j]);
  const auto n = static_cast<double>(x.size());
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(sum) / (n * (n - 1) / 2);
}

RankCorrelation rank_correlation(std::span<const double> x, std::span<const double> y) {
  return {spearman(x, y), kendall(x, y), std::ssize(x)};
}

namespace {

// The sample's rho jumps to 1 where the next lower value it can have is 1 - 12/(n³ - n). Half a jump keeps artanh
// finite.
double within_reach(double rho, double pairs) {
  const double most = 1 - 6 / (pairs * pairs * pairs - pairs);
  return std::clamp(rho, -most, most);
}

// The variance of artanh rho times n - 3 (Bonett and Wright 2000, doi:10.1007/BF02294183).
double scaled_variance(double rho) { return 1 + rho * rho / 2; }

}  // namespace

// The estimate is the mean of rho, weighted by n - 3. Its error is at most the mean of the groups' errors. It is as
// large as that where all groups have the same luck, and smaller where their errors average out. Nobody knows which, so
// the most is taken.
//
// The interval spans two, both on Fisher's scale, artanh rho. The usual one is about the mean of artanh rho. The rho of
// a sample falls short of the population's, and artanh of it overshoots; up to 0.8 the two errors cancel, but beyond
// that they do not, and with many groups the interval shrinks around a wrong number. The other is about the mean of
// Hoeffding's unbiased form, ((n+1) rho - 3 tau)/(n - 2), which has no such error but is too short where rho is near 1.
// Both take the spread of a rho from theory. docs/judging.md has how often the two together hold the truth.
Interval mean_correlation(std::span<const RankCorrelation> groups, double confidence) {
  double total = 0, pairs = 0, used = 0, rho = 0, unbiased = 0, fisher = 0, error = 0, roots = 0;
  for (const RankCorrelation& group : groups) {
    if (group.pairs < kFewestPairs || std::isnan(group.rho)) continue;
    const auto n = static_cast<double>(group.pairs);
    const double weight = n - 3, reached = within_reach(group.rho, n);
    total += weight;
    pairs += n;
    ++used;
    rho += weight * group.rho;
    unbiased += weight * ((n + 1) * group.rho - 3 * group.tau) / (n - 2);
    fisher += weight * std::atanh(reached);
    error += std::sqrt(weight * scaled_variance(reached));
    roots += std::sqrt(weight);
  }
  if (used == 0) return {std::numeric_limits<double>::quiet_NaN(), -1, 1};

  const double z = normal_quantile(0.5 + confidence / 2);
  const double usual = fisher / total, usual_half = z * error / total;
  const double mean = within_reach(unbiased / total, pairs / used);
  const double other = std::atanh(mean), other_half = z * std::sqrt(scaled_variance(mean)) * roots / total;
  const double estimate = rho / total;
  return {estimate, std::min(estimate, std::tanh(std::min(usual - usual_half, other - other_half))),
          std::max(estimate, std::tanh(std::max(usual + usual_half, other + other_half)))};
}

}  // namespace atto
