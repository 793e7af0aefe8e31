// Intervals for verdicts. All are two-sided and deterministic (bootstrap resampling draws from Philox with a fixed
// key).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace atto {

struct Interval {
  double estimate = 0, low = 0, high = 0;
};

// Refuses what is not strictly between 0 and 1.
void check_confidence(double confidence);

// Linear-interpolation quantile (type 7) of unsorted data; q in [0, 1]; infinities sort to the ends.
double quantile(std::span<const double> values, double q);

// The value below which a share p of the distribution lies, p in (0, 1): standard normal, and Student's t of so many
// degrees of freedom.
double normal_quantile(double p);
double student_quantile(double freedom, double p);
// The probability of more than t in the latter.
double student_tail(double freedom, double t);

// Share of successes with Wilson's score interval. No trials: estimate NaN, interval [0, 1].
Interval wilson(int64_t successes, int64_t trials, double confidence = 0.95);

// The same with the exact interval of Clopper and Pearson: never below the confidence, so wider than Wilson's.
Interval clopper_pearson(int64_t successes, int64_t trials, double confidence = 0.95);

// Difference (first - second) and ratio (first / second) of two shares, put together from their Wilson intervals, or
// from the exact ones.
struct Share {
  int64_t successes = 0, trials = 0;
};
Interval share_difference(Share first, Share second, double confidence = 0.95, bool exact = false);
Interval share_ratio(Share first, Share second, double confidence = 0.95, bool exact = false);

// Median with the exact binomial order-statistics interval: distribution-free, ties and +infinity (censored) allowed.
// With too few values for the confidence the ends are -infinity/+infinity.
Interval median_interval(std::span<const double> values, double confidence = 0.95);

// Mean with Student's t interval; one value alone bounds nothing. Of no values at all every estimate is NaN.
Interval mean_interval(std::span<const double> values, double confidence = 0.95);
// The same with its ends moved out where the values are skewed.
Interval skewed_mean_interval(std::span<const double> values, double confidence = 0.95);

// Bootstrap interval (expanded percentile) of `statistic(first, second)`, both groups resampled independently. High
// confidences take more resamples, up to kMostResamples; where not even these have two in a tail, the ends are
// infinite.
using TwoSampleStatistic = std::function<double(std::span<const double>, std::span<const double>)>;
inline constexpr int64_t kMostResamples = 20'000;
Interval bootstrap(std::span<const double> first, std::span<const double> second, const TwoSampleStatistic& statistic,
                   double confidence = 0.95, int64_t resamples = 2000, uint64_t seed = 1);

// The standard error of a statistic of n units, each of which brings along all that belongs to it: how far it moves
// when the units are resampled, times sqrt(n/(n-1)). `statistic` gets their numbers, 0 .. n-1. Infinite for a single
// unit, and where more than one resample of forty has no finite value.
using UnitStatistic = std::function<double(std::span<const size_t>)>;
double resampled_error(size_t units, const UnitStatistic& statistic, int64_t resamples = 200, uint64_t seed = 1);
// Its interval, as bootstrap() has it, with percentiles as far out as `fewest` units ask for.
Interval bootstrap_units(size_t units, size_t fewest, const UnitStatistic& statistic, double confidence = 0.95,
                         int64_t resamples = 500, uint64_t seed = 1);

}  // namespace atto
