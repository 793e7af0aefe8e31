// Where a claim says a number lies.
#pragma once

#include <limits>

#include "math/statistics.h"

namespace atto {

enum class VerdictKind { supported, refuted, inconclusive };

// Ends belong to it unless they are open: "more than 0" holds no tie.
struct Region {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  bool above_low(double value) const { return low_open ? value > low : value >= low; }
  bool below_high(double value) const { return high_open ? value < high : value <= high; }
  bool contains(double value) const { return above_low(value) && below_high(value); }

  // Supported when the whole interval lies inside, refuted when wholly outside, inconclusive otherwise: also where an
  // end is no number.
  VerdictKind classify(const Interval& interval) const {
    if (!(interval.low <= interval.high)) return VerdictKind::inconclusive;
    if (above_low(interval.low) && below_high(interval.high)) return VerdictKind::supported;
    if (!above_low(interval.high) || !below_high(interval.low)) return VerdictKind::refuted;
    return VerdictKind::inconclusive;
  }
};

}  // namespace atto
