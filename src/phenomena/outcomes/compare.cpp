#include "phenomena/outcomes/compare.h"

#include <algorithm>

#include "math/confidence_sequence.h"
#include "math/paired_shares.h"

namespace atto {
namespace {

int64_t count_yes(const RunAnswers& answers, double Answer::*bound) {
  return std::count_if(answers.begin(), answers.end(), [bound](const Answer& one) { return one.*bound == 1; });
}

Interval compare_shares(const RunAnswers& first, const RunAnswers& second, Comparison compare,
                        const Certainty& certainty) {
  const auto share = [](const RunAnswers& answers, double Answer::*bound) {
    return Share{count_yes(answers, bound), std::ssize(answers)};
  };
  const auto interval = [&](Share a, Share b) {
    const double level = certainty.spent_level();
    const bool exact = certainty.exact_shares;
    return compare == Comparison::ratio ? share_ratio(a, b, level, exact) : share_difference(a, b, level, exact);
  };
  const Share first_least = share(first, &Answer::low), second_least = share(second, &Answer::low);
  const Share first_most = share(first, &Answer::high), second_most = share(second, &Answer::high);
  return {interval(first_least, second_least).estimate, interval(first_least, second_most).low,
          interval(first_most, second_least).high};
}

// With the first group's answers at one of their bounds and the second's at the other.
Interval paired_shares(const RunAnswers& first, const RunAnswers& second, double Answer::*of_first,
                       double Answer::*of_second, const Certainty& certainty) {
  if (certainty.anytime) {
    std::vector<double> differences;
    for (size_t i = 0; i < first.size(); ++i) differences.push_back(first[i].*of_first - second[i].*of_second);
    return bounded_mean_sequence(differences, -1, 1, certainty.level);
  }
  PairedCounts counts;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool a = first[i].*of_first == 1, b = second[i].*of_second == 1;
    ++(a && b ? counts.both : a ? counts.first_only : b ? counts.second_only : counts.neither);
  }
  return paired_share_difference(counts, certainty.level);
}

// Numbers that are divided are positive, as in ratio(): what is unknown of one is at least 0.
std::vector<double> column(const RunAnswers& answers, double Answer::*bound, Comparison compare) {
  std::vector<double> values;
  for (const Answer& one : answers) {
    const bool unknown = compare == Comparison::ratio && one.*bound == -std::numeric_limits<double>::infinity();
    values.push_back(unknown ? 0 : one.*bound);
  }
  return values;
}

bool all_equal(const RunAnswers& answers) {
  return std::all_of(answers.begin(), answers.end(),
                     [&](const Answer& one) { return one.known() && one.low == answers.front().low; });
}

double compare_numbers(double a, double b, Comparison compare) {
  const Answer x = Answer::exactly(a), y = Answer::exactly(b);
  return (compare == Comparison::ratio ? ratio(x, y) : difference(x, y)).value.value_or(Estimate::kNone);
}

RunAnswers pair_by_pair(const RunAnswers& first, const RunAnswers& second, Comparison compare) {
  RunAnswers pairs;
  for (size_t i = 0; i < first.size(); ++i)
    pairs.push_back(compare == Comparison::ratio ? ratio(first[i], second[i]) : difference(first[i], second[i]));
  return pairs;
}

std::vector<double> known_values(const RunAnswers& answers) {
  std::vector<double> values;
  for (const Answer& one : answers)
    if (one.value) values.push_back(*one.value);
  return values;
}

}  // namespace

Estimate compare_pairs(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare,
                       const Certainty& certainty) {
  Estimate estimate;
  estimate.count(first);
  estimate.count(second);
  estimate.share = statistic == Statistic::rate;
  estimate.obstacle = obstacle_to_summary(first, statistic);
  if (estimate.obstacle.empty()) estimate.obstacle = obstacle_to_summary(second, statistic);
  if (!estimate.obstacle.empty()) return estimate;
  if (estimate.share && compare == Comparison::ratio) {
    estimate.set(compare_shares(first, second, compare, certainty));
  } else if (estimate.share) {
    const Interval low = paired_shares(first, second, &Answer::low, &Answer::high, certainty);
    const Interval high = paired_shares(first, second, &Answer::high, &Answer::low, certainty);
    estimate.set({compare_shares(first, second, compare, {}).estimate, low.low, high.high});
  } else {
    const Estimate of_pairs = summarise(pair_by_pair(first, second, compare), statistic, certainty);
    estimate.obstacle = of_pairs.obstacle;
    if (estimate.obstacle.empty()) estimate.set({of_pairs.value, of_pairs.low, of_pairs.high});
  }
  return estimate;
}

Estimate compare_groups(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare,
                        const Certainty& certainty) {
  Estimate estimate;
  estimate.count(first);
  estimate.count(second);
  estimate.share = statistic == Statistic::rate;
  estimate.obstacle = obstacle_to_summary(first, statistic);
  if (estimate.obstacle.empty()) estimate.obstacle = obstacle_to_summary(second, statistic);
  if (!estimate.obstacle.empty()) return estimate;
  if (estimate.share) {
    estimate.set(compare_shares(first, second, compare, certainty));
    return estimate;
  }
  if (statistic == Statistic::mean && all_equal(first) && all_equal(second)) {
    estimate.obstacle = kNoSpread;
    return estimate;
  }
  const auto compared = [&](std::span<const double> a, std::span<const double> b) {
    return compare_numbers(centre(a, statistic), centre(b, statistic), compare);
  };
  const auto bootstrapped = [&](double Answer::*of_first, double Answer::*of_second) {
    return bootstrap(column(first, of_first, compare), column(second, of_second, compare), compared,
                     certainty.spent_level());
  };
  const Interval low = bootstrapped(&Answer::low, &Answer::high), high = bootstrapped(&Answer::high, &Answer::low);
  estimate.set({compared(known_values(first), known_values(second)), low.low, high.high});
  return estimate;
}

double estimate_of_pairs(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare) {
  if (statistic == Statistic::rate) return estimate_of_groups(first, second, statistic, compare);
  return estimate_of(pair_by_pair(first, second, compare), statistic);
}

double estimate_of_groups(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare) {
  return compare_numbers(estimate_of(first, statistic), estimate_of(second, statistic), compare);
}

}  // namespace atto
