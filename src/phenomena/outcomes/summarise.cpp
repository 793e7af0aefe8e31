#include "phenomena/outcomes/summarise.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

struct Columns {
  std::vector<double> lows, highs, values;

  explicit Columns(const RunAnswers& answers) {
    for (const Answer& one : answers) {
      lows.push_back(one.low);
      highs.push_back(one.high);
      if (one.value) values.push_back(*one.value);
    }
  }
};

double at_rank(std::vector<double> values, int64_t rank) {
  if (rank < 1) return -std::numeric_limits<double>::infinity();
  if (rank > std::ssize(values)) return std::numeric_limits<double>::infinity();
  const auto place = values.begin() + (rank - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

Interval median_of(const Columns& columns, const Certainty& certainty) {
  const int64_t n = std::ssize(columns.lows);
  const Ranks ranks =
      certainty.anytime ? quantile_sequence_ranks(n, 0.5, certainty.level) : quantile_ranks(n, 0.5, certainty.level);
  return {quantile(columns.values, 0.5), at_rank(columns.lows, ranks.low), at_rank(columns.highs, ranks.high)};
}

Interval rate_of(const Columns& columns, const Certainty& certainty) {
  const auto yes = [](const std::vector<double>& bounds) {
    return static_cast<int64_t>(std::count(bounds.begin(), bounds.end(), 1.0));
  };
  const int64_t n = std::ssize(columns.lows);
  const Interval least = share_interval(yes(columns.lows), n, certainty);
  return {least.estimate, least.low, share_interval(yes(columns.highs), n, certainty).high};
}

RunAnswers those_with_a_value(const Outcomes& outcomes) {
  RunAnswers answers;
  for (const Outcome& one : outcomes)
    if (one.exists()) answers.push_back(number_answer(one));
  return answers;
}

int64_t count_where(const RunAnswers& answers, bool Answer::*flag) {
  return std::count_if(answers.begin(), answers.end(), [flag](const Answer& one) { return one.*flag; });
}

}  // namespace

void Estimate::set(const Interval& interval) {
  value = interval.estimate;
  low = interval.low;
  high = interval.high;
}

void Estimate::count(const RunAnswers& answers) {
  seeds += std::ssize(answers);
  censored += count_where(answers, &Answer::censored);
  missing += count_where(answers, &Answer::missing);
  diverged += count_where(answers, &Answer::diverged);
}

double centre(std::span<const double> values, Statistic statistic) {
  if (statistic == Statistic::median) return quantile(values, 0.5);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Interval share_interval(int64_t successes, int64_t trials, const Certainty& certainty) {
  if (certainty.anytime) return share_sequence(successes, trials, certainty.level);
  return certainty.exact_shares ? clopper_pearson(successes, trials, certainty.level)
                                : wilson(successes, trials, certainty.level);
}

std::string obstacle_to_summary(const RunAnswers& answers, Statistic statistic) {
  if (answers.empty()) return "there are no runs";
  const auto all = std::to_string(answers.size());
  const auto with_value =
      std::count_if(answers.begin(), answers.end(), [](const Answer& one) { return one.value.has_value(); });
  const int64_t usable = statistic == Statistic::rate ? std::ssize(answers) : with_value;
  if (usable < kFewestValues)
    return "only " + std::to_string(usable) + " of " + all + " runs have a value; at least " +
           std::to_string(kFewestValues) + " are needed";
  if (statistic != Statistic::mean) return "";
  const auto unknown = std::count_if(answers.begin(), answers.end(), [](const Answer& one) { return !one.known(); });
  if (unknown == 0) return "";
  if (count_where(answers, &Answer::censored) > 0)
    return "a mean cannot take in the " + std::to_string(count_where(answers, &Answer::censored)) +
           " censored values; the median can";
  return "a mean cannot take in the " + std::to_string(unknown) + " runs without a value; the median can, or `given`";
}

double estimate_of(const RunAnswers& answers, Statistic statistic) {
  std::vector<double> values;
  for (const Answer& one : answers)
    if (statistic == Statistic::rate) values.push_back(one.low);
    else if (one.value) values.push_back(*one.value);
  if (values.empty()) return Estimate::kNone;
  return centre(values, statistic == Statistic::rate ? Statistic::mean : statistic);
}

Estimate summarise(const RunAnswers& answers, Statistic statistic, const Certainty& certainty) {
  if (statistic == Statistic::fit || takes_pairs(statistic))
    throw Error(ErrorKind::internal, std::string("a ") + to_word(statistic) + " is no statistic of single runs");
  Estimate estimate;
  estimate.count(answers);
  estimate.share = statistic == Statistic::rate;
  estimate.obstacle = obstacle_to_summary(answers, statistic);
  const Columns columns(answers);
  if (columns.values.empty()) return estimate;
  if (estimate.share) {
    estimate.set(rate_of(columns, certainty));
    estimate.reached = estimate.largest = estimate.value;
    return estimate;
  }
  std::vector<double> seen;  // as far as they got
  for (const Answer& one : answers)
    if (one.value) seen.push_back(one.low);
  estimate.reached = centre(seen, statistic);
  estimate.largest = *std::max_element(seen.begin(), seen.end());
  if (statistic == Statistic::median) {
    estimate.set(median_of(columns, certainty));
    return estimate;
  }
  estimate.set(skewed_mean_interval(columns.values, certainty.spent_level()));
  if (estimate.obstacle.empty() && estimate.low == estimate.high) estimate.obstacle = kNoSpread;
  return estimate;
}

Estimate summarise(const Outcomes& outcomes, Statistic statistic) {
  if (statistic == Statistic::rate) return summarise(yes_answers(outcomes), statistic, {});
  const RunAnswers answers = those_with_a_value(outcomes);
  Estimate estimate = summarise(answers, statistic, {});
  estimate.seeds = estimate.censored = estimate.missing = estimate.diverged = 0;
  estimate.count(number_answers(outcomes));
  estimate.range = !answers.empty() && std::ssize(answers) < kFewestValues;
  if (!estimate.obstacle.empty()) estimate.obstacle = obstacle_to_summary(number_answers(outcomes), statistic);
  if (estimate.range) {
    const std::vector<double> reached = lower_bounds(outcomes), ranked = ranked_values(outcomes);
    estimate.low = *std::min_element(reached.begin(), reached.end());
    estimate.high = *std::max_element(ranked.begin(), ranked.end());
  }
  return estimate;
}

}  // namespace atto
