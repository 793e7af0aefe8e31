#include "math/paired_shares.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "base/error.h"
#include "math/bracket.h"

namespace atto {
namespace {

void check_counts(std::initializer_list<int64_t> counts) {
  if (*std::min_element(counts.begin(), counts.end()) < 0)
    throw Error(ErrorKind::internal, "a number of paired runs is negative");
}

// Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B. Of n runs b answer yes first only
// and c second only. If the difference is δ, b - c - nδ has variance n (2 q + δ (1 - δ)) with q the share of
// "second only", and the likelihood is largest at the larger root of
//
//   2n q² - (b + c - (2n - b + c) δ) q - c δ (1 - δ) = 0.
//
// The lower limit is the δ below the estimate at which b - c - nδ is z standard deviations.
double lower_difference(double b, double c, double n, double z) {
  if (c == n) return -1;  // every run says second only: the variance at δ = -1 is zero, and so is the distance
  const auto excess = [&](double delta) {
    const double product = delta * (1 - delta), linear = b + c - (2 * n - b + c) * delta;
    const double q = (linear + std::sqrt(std::max(0.0, linear * linear + 8 * n * c * product))) / (4 * n);
    return b - c - n * delta - z * std::sqrt(std::max(0.0, n * (2 * q + product)));
  };
  return outer_end(excess, -1, (b - c) / n);
}

}  // namespace

double mcnemar_p(int64_t first_only, int64_t second_only) {
  check_counts({first_only, second_only});
  if (first_only == second_only) return 1;
  const boost::math::binomial fair(static_cast<double>(first_only + second_only), 0.5);
  return std::min(1.0, 2 * boost::math::cdf(fair, static_cast<double>(std::min(first_only, second_only))));
}

// At δ = 0 the score test is McNemar's without a correction, which is too bold for few runs that differ and, from
// confidences of 0.9999 on, too shy for extreme ones. There the exact test decides. What it excludes at 0 it excludes
// on the far side of 0 too, where the counts are still less likely, so the interval may end at 0 without holding it.
Interval paired_share_difference(const PairedCounts& counts, double confidence) {
  check_confidence(confidence);
  check_counts({counts.both, counts.first_only, counts.second_only, counts.neither});
  const double b = static_cast<double>(counts.first_only), c = static_cast<double>(counts.second_only);
  const double n = static_cast<double>(counts.both + counts.neither) + b + c;
  if (n == 0) return {std::numeric_limits<double>::quiet_NaN(), -1, 1};
  const double z = normal_quantile(0.5 + confidence / 2);
  Interval interval = {(b - c) / n, lower_difference(b, c, n, z), -lower_difference(c, b, n, z)};
  constexpr double just_off_zero = std::numeric_limits<double>::min();
  if (mcnemar_p(counts.first_only, counts.second_only) > 1 - confidence) {
    interval.low = std::min(interval.low, 0.0);
    interval.high = std::max(interval.high, 0.0);
  } else if (b > c) {
    interval.low = std::max(interval.low, just_off_zero);
  } else {
    interval.high = std::min(interval.high, -just_off_zero);
  }
  return interval;
}

}  // namespace atto
