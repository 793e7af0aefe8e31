#include "math/statistics.h"

#include <Random123/philox.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace atto {
namespace {

constexpr double kFewestInTail = 2;       // resamples beyond an end: fewer do not show where it is
constexpr double kMostUndefined = 0.025;  // of all resamples: with more, the others do not show the spread
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

// Type 7 of data in order: position q(n-1), interpolated. Equal neighbours are returned as they are, since
// infinity - infinity is not a number.
double sorted_quantile(std::span<const double> ordered, double q) {
  const double position = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<size_t>(position);
  const double fraction = position - static_cast<double>(below);
  const double left = ordered[below];
  if (fraction == 0) return left;
  const double right = ordered[below + 1];
  if (left == right) return left;
  if (std::isinf(left)) return std::isinf(right) ? kNan : left;  // between -infinity and +infinity lies anything
  return left + fraction * (right - left);
}

void check_share(int64_t successes, int64_t trials) {
  if (successes < 0 || successes > trials)
    throw Error(ErrorKind::internal, "a share of " + std::to_string(successes) + " in " + std::to_string(trials));
}

// Resample number `draw`: independent uniform picks, a function of (seed, draw, group, place) alone.
template <typename Number>
void resample(std::span<const Number> from, std::vector<Number>& to, uint64_t seed, uint64_t draw, uint32_t group) {
  using Philox = r123::Philox4x32;
  const Philox::key_type key = {{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  const auto pick = [&](uint32_t word) {  // maps 32 random bits to 0..n-1; the bias is below n / 2^32
    return from[static_cast<size_t>((static_cast<uint64_t>(word) * from.size()) >> 32)];
  };
  for (size_t place = 0; place < to.size(); place += 4) {
    const Philox::ctr_type counter = {
        {static_cast<uint32_t>(place), static_cast<uint32_t>(draw), static_cast<uint32_t>(draw >> 32), group}};
    const Philox::ctr_type words = Philox()(counter, key);
    for (size_t lane = 0; lane < 4 && place + lane < to.size(); ++lane) to[place + lane] = pick(words[lane]);
  }
}

}  // namespace

void check_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ErrorKind::internal, "a confidence of " + std::to_string(confidence) + " is not between 0 and 1");
}

double quantile(std::span<const double> values, double q) {
  if (values.empty()) return kNan;
  if (!(q >= 0 && q <= 1)) throw Error(ErrorKind::internal, "a quantile's share must be between 0 and 1");
  // Bootstraps ask this thousands of times, so only the two neighbours are put in their places.
  std::vector<double> copy(values.begin(), values.end());
  const auto below = copy.begin() + static_cast<ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(copy.begin(), below, copy.end());
  if (below + 1 != copy.end()) std::iter_swap(below + 1, std::min_element(below + 1, copy.end()));
  return sorted_quantile(copy, q);
}

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

double student_quantile(double freedom, double p) { return boost::math::quantile(boost::math::students_t(freedom), p); }

double student_tail(double freedom, double t) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

// Wilson (1927): the p for which |p^ - p| <= z sqrt(p(1-p)/n). It stays within [0, 1] and is sane at 0 and n successes.
Interval wilson(int64_t successes, int64_t trials, double confidence) {
  check_confidence(confidence);
  check_share(successes, trials);
  if (trials == 0) return {kNan, 0, 1};
  const double n = static_cast<double>(trials), share = static_cast<double>(successes) / n;
  const double z = normal_quantile(0.5 + confidence / 2);
  const double centre = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  // The bound is exactly 0 or 1 at the ends; rounding must not put it just beside.
  return {share, successes == 0 ? 0 : std::max(0.0, centre - half),
          successes == trials ? 1 : std::min(1.0, centre + half)};
}

// Clopper and Pearson (1934), doi:10.1093/biomet/26.4.404: the shares for which neither tail of the binomial from the
// count on is below (1 - confidence) / 2. The tails are incomplete beta functions of the share.
Interval clopper_pearson(int64_t successes, int64_t trials, double confidence) {
  check_confidence(confidence);
  check_share(successes, trials);
  if (trials == 0) return {kNan, 0, 1};
  using boost::math::binomial;
  const double n = static_cast<double>(trials), k = static_cast<double>(successes), tail = (1 - confidence) / 2;
  return {k / n, successes == 0 ? 0 : binomial::find_lower_bound_on_p(n, k, tail),
          successes == trials ? 1 : binomial::find_upper_bound_on_p(n, k, tail)};
}

// Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I, method 10: the distances of
// the two Wilson limits that push the difference the same way add in quadrature.
Interval share_difference(Share first, Share second, double confidence, bool exact) {
  const auto of_one = exact ? clopper_pearson : wilson;
  const Interval a = of_one(first.successes, first.trials, confidence);
  const Interval b = of_one(second.successes, second.trials, confidence);
  if (first.trials == 0 || second.trials == 0) return {kNan, -1, 1};
  const double estimate = a.estimate - b.estimate;
  return {estimate, estimate - std::hypot(a.estimate - a.low, b.high - b.estimate),
          estimate + std::hypot(a.high - a.estimate, b.estimate - b.low)};
}

// The same recovery of variances for a ratio (Donner and Zou 2012, doi:10.1177/0962280210383082): Newcombe's limits of
// a - r b just touch zero. The lower limit is written with its root in the denominator, where it cannot cancel.
Interval share_ratio(Share first, Share second, double confidence, bool exact) {
  const auto of_one = exact ? clopper_pearson : wilson;
  const Interval a = of_one(first.successes, first.trials, confidence);
  const Interval b = of_one(second.successes, second.trials, confidence);
  if (first.trials == 0 || second.trials == 0) return {kNan, 0, kInfinity};
  const double product = a.estimate * b.estimate;
  const auto root = [&](double x, double y) { return std::sqrt(std::max(0.0, product * product - x * y)); };
  const double a_low = a.low * (2 * a.estimate - a.low), a_high = a.high * (2 * a.estimate - a.high);
  const double b_low = b.low * (2 * b.estimate - b.low), b_high = b.high * (2 * b.estimate - b.high);
  return {a.estimate / b.estimate, a_low > 0 ? a_low / (product + root(a_low, b_high)) : 0,
          b_low > 0 ? (product + root(a_high, b_low)) / b_low : kInfinity};
}

// With X(1) <= ... <= X(n) and N ~ Binomial(n, 1/2) values below the median, P(X(k) <= median <= X(n+1-k)) >= 1 - 2 P(N
// < k) for any distribution. The largest k that keeps 2 P(N < k) <= 1 - confidence gives the interval; k = 0 stands for
// the ends of the real line.
Interval median_interval(std::span<const double> values, double confidence) {
  check_confidence(confidence);
  if (values.empty()) return {kNan, -kInfinity, kInfinity};
  const std::vector<double> ordered = sorted(values);
  const size_t n = ordered.size();
  const boost::math::binomial below(static_cast<double>(n), 0.5);
  size_t k = 0;
  while (k < n / 2 && 2 * boost::math::cdf(below, static_cast<double>(k)) <= 1 - confidence) ++k;
  const double estimate = sorted_quantile(ordered, 0.5);
  if (k == 0) return {estimate, -kInfinity, kInfinity};
  return {estimate, ordered[k - 1], ordered[n - k]};
}

Interval mean_interval(std::span<const double> values, double confidence) {
  check_confidence(confidence);
  if (values.empty()) return {kNan, -kInfinity, kInfinity};
  const double n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  if (values.size() == 1) return {mean, -kInfinity, kInfinity};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double t = student_quantile(n - 1, 0.5 + confidence / 2);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

// Skewed values pull Student's t to one side, and its far end is too near. Hall (1992, On the removal of skewness by
// transformation, J. R. Stat. Soc. B 54) transforms t by a cubic that takes the skewness out; each end is the farther
// of the two. The skewness is the one without bias for few normal values.
Interval skewed_mean_interval(std::span<const double> values, double confidence) {
  Interval interval = mean_interval(values, confidence);
  const double n = static_cast<double>(values.size()), mean = interval.estimate;
  if (n < 3 || interval.low == interval.high) return interval;
  double squares = 0, cubes = 0;
  for (const double value : values) {
    squares += std::pow(value - mean, 2);
    cubes += std::pow(value - mean, 3);
  }
  const double deviation = std::sqrt(squares / (n - 1));
  const double skew = cubes / std::pow(deviation, 3) * n / ((n - 1) * (n - 2));
  if (!(std::abs(skew) > 1e-9)) return interval;
  const auto untransformed = [&](double x) { return 3 / skew * (std::cbrt(1 + skew * (x - skew / (6 * n))) - 1); };
  const double reach = student_quantile(n - 1, 0.5 + confidence / 2) / std::sqrt(n);
  interval.low = std::min(interval.low, mean - deviation * untransformed(reach));
  interval.high = std::max(interval.high, mean - deviation * untransformed(-reach));
  return interval;
}

// The plain percentile interval is too narrow for small groups: a resample's variance is (n-1)/n of the unbiased one,
// and normal quantiles stand where Student's belong. The expanded percentile (Hesterberg 2015,
// doi:10.1080/00031305.2015.1089789) moves the tails from Phi(-z) to Phi(-t sqrt(n/(n-1))), t of n-1 degrees of
// freedom; n here is the smaller group, which errs on the wide side. A single value tells nothing about spread.
//
// A resample whose statistic is undefined (0/0, infinity - infinity) could have come out anywhere, so it widens the
// interval on both sides: it counts as -infinity for the lower end and as +infinity for the upper one.
namespace {

// The share of resamples beyond an end of the expanded percentile interval of n values; none for a single one.
double expanded_tail(double n, double confidence) {
  if (!(n > 1)) return 0;
  const double t = student_quantile(n - 1, 0.5 + confidence / 2);
  return boost::math::cdf(boost::math::normal(), -t * std::sqrt(n / (n - 1)));
}

bool enough_in_tail(double tail) { return tail * static_cast<double>(kMostResamples) >= kFewestInTail; }

int64_t resamples_for(double tail, int64_t usual) {
  return std::max(usual, static_cast<int64_t>(std::ceil(kFewestInTail / tail)));
}

}  // namespace

Interval bootstrap(std::span<const double> first, std::span<const double> second, const TwoSampleStatistic& statistic,
                   double confidence, int64_t resamples, uint64_t seed) {
  check_confidence(confidence);
  if (first.empty() || second.empty()) return {kNan, -kInfinity, kInfinity};
  const double tail = expanded_tail(static_cast<double>(std::min(first.size(), second.size())), confidence);
  if (!enough_in_tail(tail)) return {statistic(first, second), -kInfinity, kInfinity};
  std::vector<double> a(first.size()), b(second.size()), lows, highs;
  for (int64_t draw = 0; draw < resamples_for(tail, resamples); ++draw) {
    resample<double>(first, a, seed, static_cast<uint64_t>(draw), 0);
    resample<double>(second, b, seed, static_cast<uint64_t>(draw), 1);
    const double value = statistic(a, b);
    lows.push_back(std::isnan(value) ? -kInfinity : value);
    highs.push_back(std::isnan(value) ? kInfinity : value);
  }
  return {statistic(first, second), quantile(lows, tail), quantile(highs, 1 - tail)};
}

double resampled_error(size_t units, const UnitStatistic& statistic, int64_t resamples, uint64_t seed) {
  if (units < 2) return kInfinity;
  std::vector<size_t> all(units), drawn(units);
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<double> values;
  for (int64_t draw = 0; draw < resamples; ++draw) {
    resample<size_t>(all, drawn, seed, static_cast<uint64_t>(draw), 0);
    const double value = statistic(drawn);
    if (std::isfinite(value)) values.push_back(value);
  }
  if (kMostUndefined * static_cast<double>(resamples) < static_cast<double>(resamples - std::ssize(values)))
    return kInfinity;
  const auto count = static_cast<double>(values.size()), n = static_cast<double>(units);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) * n / (n - 1));
}

Interval bootstrap_units(size_t units, size_t fewest, const UnitStatistic& statistic, double confidence,
                         int64_t resamples, uint64_t seed) {
  check_confidence(confidence);
  if (units == 0) return {kNan, -kInfinity, kInfinity};
  std::vector<size_t> all(units), drawn(units);
  std::iota(all.begin(), all.end(), size_t{0});
  const double estimate = statistic(all);
  const double tail = expanded_tail(static_cast<double>(fewest), confidence);
  if (!enough_in_tail(tail)) return {estimate, -kInfinity, kInfinity};
  std::vector<double> lows, highs;
  for (int64_t draw = 0; draw < resamples_for(tail, resamples); ++draw) {
    resample<size_t>(all, drawn, seed, static_cast<uint64_t>(draw), 0);
    const double value = statistic(drawn);
    lows.push_back(std::isnan(value) ? -kInfinity : value);
    highs.push_back(std::isnan(value) ? kInfinity : value);
  }
  return {estimate, quantile(lows, tail), quantile(highs, 1 - tail)};
}

}  // namespace atto
