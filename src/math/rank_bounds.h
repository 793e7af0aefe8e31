// A rank correlation of which some values are not known: what it can be at least and at most.
#pragma once

#include <limits>
#include <vector>

#include "math/correlation.h"

namespace atto {

// A value, or only that it lies above one; nothing at all is known of it where that is -infinity.
struct SeenValue {
  double value = -std::numeric_limits<double>::infinity();
  bool known = false;
};

struct RankBounds {
  // The least and the largest rho. `tau` is the one of the two bounds of tau with which Hoeffding's unbiased form
  // (mean_correlation) is bounded as well: the largest in `lowest`, the least in `highest`.
  RankCorrelation lowest, highest;
};

// Over every way to complete the values, ties included. Both are rank_correlation() where all is known. The bounds of
// rho are attained, up to what ties do to its denominator, where the values of one side alone are not known, or those
// of both sides of the same runs; otherwise they hold, and may be wider than need be.
RankBounds rank_correlation_bounds(const std::vector<SeenValue>& x, const std::vector<SeenValue>& y);

}  // namespace atto
