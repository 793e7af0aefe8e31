// Intervals that hold at every number of runs at once. Whoever adds runs, looks, and stops when the answer is clear may
// not use ordinary intervals: each look is another chance to be wrong, and of 64 looks at 95 % intervals one in three
// misses the truth somewhere. A confidence sequence misses it anywhere, at any n, with a probability of at most
// 1 - confidence, whatever rule stops it. The price is an interval about 1.6 times as wide; what it costs in runs is
// less, as one may stop early. share_sequence.cpp and bounded_mean.cpp have the figures.
#pragma once

#include <cstdint>
#include <span>

#include "math/statistics.h"

namespace atto {

// For a share. No trials: estimate NaN, interval [0, 1].
Interval share_sequence(int64_t successes, int64_t trials, double confidence = 0.95);

// Ranks, counted from 1, of the order statistics of n values that bound their distribution's quantile q, 0 < q < 1.
// low = 0 stands for -infinity and high = n + 1 for +infinity. They depend on nothing else, so they can be kept.
struct Ranks {
  int64_t low = 0, high = 0;
};
Ranks quantile_ranks(int64_t n, double q, double confidence);           // for n fixed beforehand, exact
Ranks quantile_sequence_ranks(int64_t n, double q, double confidence);  // at every n at once

// For the mean of values in [low, high], given in the order in which they came. No values: estimate NaN and the whole
// range.
Interval bounded_mean_sequence(std::span<const double> values, double low, double high, double confidence = 0.95);

// For statistics that have no such sequence: the part of alpha that look number `look` (from 1) of `looks` planned ones
// may spend. An ordinary interval of confidence 1 - spent_alpha(...) at each of these looks is wrong at any of them
// with a probability of at most alpha. Planned means: before the first look.
double spent_alpha(double alpha, int look, int looks);

}  // namespace atto
