// Two yes-or-no answers of the same runs, such as "left the plateau" with and without weight decay from the same seed.
#pragma once

#include <cstdint>

#include "math/statistics.h"

namespace atto {

struct PairedCounts {
  int64_t both = 0, first_only = 0, second_only = 0, neither = 0;
};

// McNemar's exact test that the two shares are equal, two-sided. Only runs that answer differently count.
double mcnemar_p(int64_t first_only, int64_t second_only);

// First share - second share: Tango's score interval, changed such that it holds 0 exactly where McNemar's exact test
// does not exclude 0. No runs: estimate NaN, interval [-1, 1]. The test of 0 is exact. About other differences the
// coverage averages to the confidence and can fall below it: by 0.02 at 0.95, and at 0.999 to 0.990 of 10 runs and
// 0.996 of 40 (paired_shares_test.cpp). So to look often, take bounded_mean_sequence of the differences -1, 0, 1, which
// is exact everywhere, and not this one with a spent alpha.
Interval paired_share_difference(const PairedCounts& counts, double confidence = 0.95);

}  // namespace atto
