#include "phenomena/outcomes/summarise.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kConfidence = 0.95;

// What a group of runs has to offer to a statistic.
struct Group {
  std::vector<double> values;    // as they rank: a censored one is +infinity
  std::vector<double> at_least;  // as far as they got
  Share shown;                   // non-zero among all runs
  int64_t undecided = 0;         // of the others, runs that ended too early to tell (0, but censored)
  int64_t censored = 0, missing = 0, diverged = 0;

  explicit Group(const Outcomes& outcomes)
      : values(ranked_values(outcomes)), at_least(lower_bounds(outcomes)), shown{0, std::ssize(outcomes)} {
    for (const Outcome& one : outcomes) {
      if (one.diverged) ++diverged;
      else if (!one.exists()) ++missing;
      if (!one.exists()) continue;
      if (*one.value != 0) ++shown.successes;
      else if (one.censored) ++undecided;
      if (one.censored) ++censored;
    }
  }

  // The share if every undecided run were to show it yet.
  Share shown_at_most() const { return {shown.successes + undecided, shown.trials}; }
  int64_t usable(Statistic statistic) const { return statistic == Statistic::rate ? shown.trials : std::ssize(values); }
};

// Why no interval can be had of the group, or "".
std::string obstacle(const Group& group, Statistic statistic) {
  if (group.shown.trials == 0) return "there are no runs";
  if (const int64_t count = group.usable(statistic); count < kFewestValues)
    return "only " + std::to_string(count) + " of " + std::to_string(group.shown.trials) +
           " runs have a value; at least " + std::to_string(kFewestValues) + " are needed";
  if (statistic == Statistic::mean && group.censored > 0)
    return "a mean cannot take in the " + std::to_string(group.censored) + " censored values; the median can";
  return "";
}

void count(const Group& group, Estimate& estimate) {
  estimate.seeds += group.shown.trials;
  estimate.censored += group.censored;
  estimate.missing += group.missing;
  estimate.diverged += group.diverged;
}

void set_interval(const Interval& interval, Estimate& estimate) {
  estimate.value = interval.estimate;
  estimate.low = interval.low;
  estimate.high = interval.high;
}

// From the low end when no undecided run ever shows it to the high end when all do.
Interval rate_interval(const Group& group) {
  const Interval seen = wilson(group.shown.successes, group.shown.trials, kConfidence);
  const Share most = group.shown_at_most();
  return {seen.estimate, seen.low, wilson(most.successes, most.trials, kConfidence).high};
}

Interval value_interval(const Group& group, Statistic statistic) {
  if (statistic == Statistic::mean) return mean_interval(group.values, kConfidence);
  return {quantile(group.values, 0.5), median_interval(group.at_least, kConfidence).low,
          median_interval(group.values, kConfidence).high};
}

void check_statistic(Statistic statistic) {
  if (statistic == Statistic::fit || takes_pairs(statistic))
    throw Error(ErrorKind::internal, std::string("a ") + to_word(statistic) + " is no statistic of single runs");
}

Interval compare_rates(const Group& first, const Group& second, Interval (*compare)(Share, Share, double)) {
  const Interval seen = compare(first.shown, second.shown, kConfidence);
  return {seen.estimate, compare(first.shown, second.shown_at_most(), kConfidence).low,
          compare(first.shown_at_most(), second.shown, kConfidence).high};
}

double centre(std::span<const double> values, Statistic statistic) {
  if (statistic == Statistic::median) return quantile(values, 0.5);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Estimate compare(const Outcomes& first_outcomes, const Outcomes& second_outcomes, Statistic statistic, bool ratio) {
  check_statistic(statistic);
  const Group first(first_outcomes), second(second_outcomes);
  Estimate estimate;
  estimate.share = statistic == Statistic::rate;
  count(first, estimate);
  count(second, estimate);
  estimate.obstacle = obstacle(first, statistic);
  if (estimate.obstacle.empty()) estimate.obstacle = obstacle(second, statistic);
  if (!estimate.obstacle.empty()) return estimate;
  if (estimate.share) {
    set_interval(compare_rates(first, second, ratio ? share_ratio : share_difference), estimate);
    return estimate;
  }
  const auto compared = [&](std::span<const double> a, std::span<const double> b) {
    return ratio ? centre(a, statistic) / centre(b, statistic) : centre(a, statistic) - centre(b, statistic);
  };
  set_interval(bootstrap(first.values, second.values, compared), estimate);
  return estimate;
}

}  // namespace

Estimate summarise(const Outcomes& outcomes, Statistic statistic) {
  check_statistic(statistic);
  const Group group(outcomes);
  Estimate estimate;
  count(group, estimate);
  estimate.share = statistic == Statistic::rate;
  estimate.obstacle = obstacle(group, statistic);
  if (group.usable(statistic) == 0) return estimate;
  if (estimate.share) {
    set_interval(rate_interval(group), estimate);
    estimate.reached = estimate.largest = estimate.value;
    return estimate;
  }
  const auto [least, largest] = std::minmax_element(group.at_least.begin(), group.at_least.end());
  set_interval(value_interval(group, statistic), estimate);
  estimate.reached = centre(group.at_least, statistic);
  estimate.largest = *largest;
  estimate.range = std::ssize(group.values) < kFewestValues;
  if (estimate.range) {
    estimate.low = *least;
    estimate.high = *std::max_element(group.values.begin(), group.values.end());
  }
  return estimate;
}

Estimate summarise_difference(const Outcomes& first, const Outcomes& second, Statistic statistic) {
  return compare(first, second, statistic, false);
}

Estimate summarise_ratio(const Outcomes& first, const Outcomes& second, Statistic statistic) {
  return compare(first, second, statistic, true);
}

}  // namespace atto
