// Many runs' outcomes in one number with its interval: what claims, tables and figures all say of them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/words.h"
#include "phenomena/outcomes/outcome.h"

namespace atto {

enum class Statistic {
  rate,  // share of runs in which a present/absent quantity is non-zero; Wilson interval. Every run is in the
         // denominator: one that diverged or lacks the quantity does not show it. The upper end grants runs that ended
         // too early to tell (0, but censored) that they would have
  median,       // order-statistics interval; a censored value is anything from where it was cut off to infinity, so it
                // counts as the former for the lower end and as the latter for the estimate and the upper end
  mean,         // Student t interval; refuses censored values
  fit,          // a number of a law fitted over cells (power_law.h); the fit brings its interval
  correlation,  // Spearman's rho of two quantities of the same runs, within cells (pairs.h)
  coincidence,  // share of runs in which two events coincide, less what shuffled partners give (pairs.h)
};
template <>
struct EnumWords<Statistic> {
  static constexpr std::array words{"rate", "median", "mean", "fit", "correlation", "coincidence"};
};

// Does it speak of two quantities?
constexpr bool takes_pairs(Statistic statistic) {
  return statistic == Statistic::correlation || statistic == Statistic::coincidence;
}

// Fewer values than this are never more than inconclusive: below six no interval of the median has 95 % coverage.
inline constexpr int64_t kFewestValues = 6;

struct Estimate {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double value = kNone;              // NaN without any; +infinity where a censored one is in the middle
  double low = kNone, high = kNone;  // 95 %, see Statistic. Infinite where censored values leave it open
  // The median, and the largest value, with censored values where they were cut off: the truth is at least that.
  double reached = kNone, largest = kNone;
  bool share = false;    // it is a rate
  bool range = false;    // low and high are the range of the values: they are fewer than kFewestValues
  std::string obstacle;  // why a claim must not be judged by it, or ""
  std::string remark;    // what the numbers alone do not say, or ""
  // Runs; those that were cut off; those that did not diverge and have no value; those that diverged.
  int64_t seeds = 0, censored = 0, missing = 0, diverged = 0;

  bool beyond() const { return value == std::numeric_limits<double>::infinity() && censored > 0; }
};

// Neither a fit nor what takes pairs is a statistic of runs: Error(internal).
Estimate summarise(const Outcomes& outcomes, Statistic statistic);
// The statistic of the first group less that of the second, or over it. Rates get their interval from the two Wilson
// intervals, medians and means from the bootstrap. `reached` and `largest` are left NaN.
Estimate summarise_difference(const Outcomes& first, const Outcomes& second, Statistic statistic);
Estimate summarise_ratio(const Outcomes& first, const Outcomes& second, Statistic statistic);

}  // namespace atto
