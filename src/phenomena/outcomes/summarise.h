// Many runs' answers in one number with its interval: what claims, tables and figures all say of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/words.h"
#include "math/statistics.h"
#include "phenomena/outcomes/answer.h"
#include "phenomena/outcomes/certainty.h"

namespace atto {

enum class Statistic {
  rate,    // share of the runs that say yes; Wilson interval, from the share if every unknown run said no to the share
           // if all said yes. A run that diverged says no
  median,  // order-statistics interval: its low end takes every answer at its lower bound, its high end at its upper
           // one
  mean,    // Student t interval, moved out where values are skewed; refuses answers that are not known
  fit,     // a number of a law fitted over cells (power_law.h); the fit brings its interval
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
  double low = kNone, high = kNone;  // see Statistic and Certainty. Infinite where unknown answers leave it open
  // The median, and the largest value, with censored values where they were cut off: the truth is at least that.
  double reached = kNone, largest = kNone;
  bool share = false;    // it is a rate
  bool range = false;    // low and high are the range of the values: they are fewer than kFewestValues
  std::string obstacle;  // why a claim must not be judged by it, or ""
  std::string remark;    // what the numbers alone do not say, or ""
  // Runs; those that were cut off; those that did not diverge and have no value; those that diverged.
  int64_t seeds = 0, censored = 0, missing = 0, diverged = 0;

  bool beyond() const { return value == std::numeric_limits<double>::infinity() && censored > 0; }
  void set(const Interval& interval);
  // Adds the runs to the counts.
  void count(const RunAnswers& answers);
};

// Neither a fit nor what takes pairs is a statistic of runs: Error(internal). RunAnswers without any value count.
Estimate summarise(const RunAnswers& answers, Statistic statistic, const Certainty& certainty);
// Of the runs that have a value, as tables and figures describe them; of all runs where it is a rate.
Estimate summarise(const Outcomes& outcomes, Statistic statistic);

// The number alone, without an interval; NaN without any value.
double estimate_of(const RunAnswers& answers, Statistic statistic);

// The centre of plain values: their median or mean.
double centre(std::span<const double> values, Statistic statistic);
// Why a mean of values that are all the same has no interval.
inline constexpr const char* kNoSpread =
    "all values are the same, which does not show how much a mean varies; take the median";
// Why no interval can be had of the answers, or "".
std::string obstacle_to_summary(const RunAnswers& answers, Statistic statistic);
// An interval of a share from its counts, by the certainty asked for.
Interval share_interval(int64_t successes, int64_t trials, const Certainty& certainty);

}  // namespace atto
