#include "phenomena/outcomes/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "math/rank_bounds.h"
#include "math/statistics.h"

namespace atto {
namespace {

// The runs of a cell that have both.
PairedOutcomes complete_pairs(const PairedOutcomes& cell) {
  PairedOutcomes complete;
  for (size_t i = 0; i < cell.first.size(); ++i) {
    if (!cell.first[i].exists() || !cell.second[i].exists()) continue;
    complete.first.push_back(cell.first[i]);
    complete.second.push_back(cell.second[i]);
  }
  return complete;
}

// Counts the runs, and returns the pairs of each cell.
std::vector<PairedOutcomes> count_pairs(const std::vector<PairedOutcomes>& cells, Estimate& estimate) {
  std::vector<PairedOutcomes> complete;
  int64_t pairs = 0;
  for (const PairedOutcomes& cell : cells) {
    estimate.seeds += std::ssize(cell.first);
    for (size_t i = 0; i < cell.first.size(); ++i) {
      const Outcome &a = cell.first[i], &b = cell.second[i];
      const bool both = a.exists() && b.exists();
      if (a.diverged || b.diverged) ++estimate.diverged;
      else if (!both) ++estimate.missing;
      if (both && (a.censored || b.censored)) ++estimate.censored;
    }
    complete.push_back(complete_pairs(cell));
    pairs += std::ssize(complete.back().first);
  }
  if (estimate.seeds == 0) estimate.obstacle = "there are no runs";
  else if (pairs < kFewestValues)
    estimate.obstacle = "only " + std::to_string(pairs) + " of " + std::to_string(estimate.seeds) +
                        " runs have both quantities; at least " + std::to_string(kFewestValues) + " are needed";
  return complete;
}

// ---- correlation

// What is seen of a quantity: a censored one lies above where it was cut off, one that does not exist may be anything.
std::vector<SeenValue> seen_values(const Outcomes& outcomes) {
  std::vector<SeenValue> seen;
  for (const Outcome& one : outcomes) seen.push_back(one.exists() ? SeenValue{*one.value, !one.censored} : SeenValue{});
  return seen;
}

// Of the runs that have both, with censored values equal and behind all that were seen.
RankCorrelation seen_correlation(const PairedOutcomes& complete) {
  return rank_correlation(ranked_values(complete.first), ranked_values(complete.second));
}

// Is one of the two the same in all runs, whatever is unknown?
bool is_constant(const std::vector<SeenValue>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const SeenValue& one) { return one.known && one.value == values.front().value; });
}

// ---- coincidence

enum class Together { no, yes, unknown };

Together together(const Outcome& first, const Outcome& second, double within) {
  if (!first.exists() || !second.exists()) return Together::unknown;
  const double a = *first.value, b = *second.value, reach = 1 + within;
  if (first.censored && second.censored) return Together::unknown;
  if (first.censored) return a < b * reach ? Together::unknown : Together::no;
  if (second.censored) return b < a * reach ? Together::unknown : Together::no;
  return std::max(a, b) <= reach * std::min(a, b) ? Together::yes : Together::no;
}

struct Count {
  double least = 0, most = 0;  // with every unknown pair counted as no, and as yes
};

// How often events coincide in a cell.
struct CellShares {
  double runs = 0;
  Count own, shuffled;  // runs whose own events coincide; share among partners of different runs
  double variance = 0;  // the largest that the jackknife's of `shuffled` can be
};

CellShares coincide(const PairedOutcomes& cell, double within) {
  const size_t n = cell.first.size();
  CellShares shares{static_cast<double>(n), {}, {}, 0};
  std::vector<Count> with_others(n);  // of run i: coincidences of its events with those of other runs
  Count all;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const Together found = together(cell.first[i], cell.second[j], within);
      if (found == Together::no) continue;
      const auto add = [surely = found == Together::yes](Count& count) {
        ++count.most;
        if (surely) ++count.least;
      };
      if (i == j) {
        add(shares.own);
        continue;
      }
      add(all);
      add(with_others[i]);
      add(with_others[j]);
    }
  }
  const double m = shares.runs;
  shares.shuffled = {all.least / (m * (m - 1)), all.most / (m * (m - 1))};
  // Without run i the share differs from the whole by (w_i - mean w)/((m-1)(m-2)), w_i its coincidences with others.
  // Squares about the mean are at most those about any other number, and each is largest at an end of what w_i may be.
  double centre = 0, squares = 0;
  for (const Count& one : with_others) centre += (one.least + one.most) / (2 * m);
  for (const Count& one : with_others) {
    const double far = std::max(std::abs(one.least - centre), std::abs(one.most - centre));
    squares += far * far / ((m - 1) * (m - 1) * (m - 2) * (m - 2));
  }
  shares.variance = (m - 1) / m * squares;
  return shares;
}

// Fewer runs than this leave no share when one of them is left out.
constexpr size_t kFewestShuffled = 3;

constexpr double kRounding = 1e-9;

// The shares of all cells as one, weighted by their runs. Cells share their seeds and may have the same luck, so they
// tell as much as one cell of their mean size.
struct PooledShares {
  double runs = 0, counted = 0;  // cells that were counted
  double deviation = 0;          // of `shuffled`
  Count own, shuffled;

  PooledShares(const std::vector<PairedOutcomes>& cells, double within) {
    for (const PairedOutcomes& cell : cells) {
      if (cell.first.size() < kFewestShuffled) continue;
      const CellShares one = coincide(cell, within);
      runs += one.runs;
      own.least += one.own.least;
      own.most += one.own.most;
      shuffled.least += one.runs * one.shuffled.least;
      shuffled.most += one.runs * one.shuffled.most;
      deviation += one.runs * std::sqrt(one.variance);
      ++counted;
    }
    shuffled.least /= runs;
    shuffled.most /= runs;
    deviation /= runs;
  }

  // The interval of as many runs as a cell has, about the share of all.
  Interval own_interval(double count, const Certainty& certainty) const {
    return interval_of_share(count / runs, static_cast<int64_t>(runs / counted), certainty);
  }
  // Student's t over the jackknife, or the interval of half as many trials as a cell has runs, whichever is wider: so
  // many shuffled pairs share no run. Where all of them coincide, or none, the jackknife sees no spread at all.
  Interval shuffled_interval(double share, const Certainty& certainty) const {
    const double half = student_quantile(runs / counted - 1, 0.5 + certainty.level / 2) * deviation;
    const Interval apart = interval_of_share(share, static_cast<int64_t>(runs / counted) / 2, certainty);
    return {share, std::max(0.0, std::min(apart.low, share - half)), std::min(1.0, std::max(apart.high, share + half))};
  }

 private:
  // Successes may lie between two whole numbers.
  static Interval interval_of_share(double share, int64_t trials, const Certainty& certainty) {
    const double yes = share * static_cast<double>(trials);
    const auto fewer = static_cast<int64_t>(std::floor(yes + kRounding));
    const auto more = static_cast<int64_t>(std::ceil(yes - kRounding));
    return {share, std::min(share, share_interval(fewer, trials, certainty).low),
            std::max(share, share_interval(more, trials, certainty).high)};
  }
};

std::string percent_text(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

}  // namespace

Estimate summarise_correlation(const std::vector<PairedOutcomes>& cells, const Certainty& certainty) {
  const double level = certainty.spent_level();
  Estimate estimate;
  const std::vector<PairedOutcomes> complete = count_pairs(cells, estimate);
  if (!estimate.obstacle.empty()) return estimate;
  std::vector<RankCorrelation> seen, lowest, highest;
  int64_t left_out = 0;
  for (size_t c = 0; c < cells.size(); ++c) {
    const std::vector<SeenValue> x = seen_values(cells[c].first), y = seen_values(cells[c].second);
    if (std::ssize(x) < kFewestPairs || is_constant(x) || is_constant(y)) {
      ++left_out;
      continue;
    }
    seen.push_back(seen_correlation(complete[c]));
    const RankBounds bounds = rank_correlation_bounds(x, y);
    lowest.push_back(bounds.lowest);
    highest.push_back(bounds.highest);
  }
  if (left_out > 0)
    estimate.remark = std::to_string(left_out) + " of " + std::to_string(cells.size()) +
                      " cells left out: fewer than " + std::to_string(kFewestPairs) +
                      " runs, or one of the quantities is the same in all";
  const Interval among_seen = mean_correlation(seen, level);
  if (std::isnan(among_seen.estimate)) {
    estimate.obstacle = "in no cell do both quantities vary over enough runs";
    return estimate;
  }
  // Both ends of the interval rise with every rho and with the unbiased form, so its least low end is that of the
  // lowest and its largest high end that of the highest.
  estimate.value = among_seen.estimate;
  estimate.low = std::min(estimate.value, mean_correlation(lowest, level).low);
  estimate.high = std::max(estimate.value, mean_correlation(highest, level).high);
  return estimate;
}

// The share of runs has Wilson's interval and the shuffled share a jackknife's, or Wilson's where that is wider; the
// distances of the limits that push the difference the same way add in quadrature, as in share_difference(). Each end
// only moves out as the run's own count falls (rises), the shuffled share rises (falls) and the variance grows, so that
// the worst of each bounds them all. docs/judging.md has how often the interval holds the truth.
Estimate summarise_coincidence(const std::vector<PairedOutcomes>& cells, double within, const Certainty& certainty) {
  const Certainty spent{.level = certainty.spent_level(), .exact_shares = certainty.exact_shares};
  Estimate estimate;
  const std::vector<PairedOutcomes> complete = count_pairs(cells, estimate);
  if (!estimate.obstacle.empty()) return estimate;
  const PooledShares seen(complete, within), all(cells, within);
  if (seen.runs == 0) {
    estimate.obstacle = "no cell has " + std::to_string(kFewestShuffled) + " runs with both events to shuffle";
    return estimate;
  }
  estimate.value = seen.own.least / seen.runs - seen.shuffled.least;
  const Interval fewest = all.own_interval(all.own.least, spent), most = all.own_interval(all.own.most, spent);
  const Interval often = all.shuffled_interval(all.shuffled.most, spent);
  const Interval seldom = all.shuffled_interval(all.shuffled.least, spent);
  estimate.low =
      fewest.estimate - often.estimate - std::hypot(fewest.estimate - fewest.low, often.high - often.estimate);
  estimate.high = most.estimate - seldom.estimate + std::hypot(most.high - most.estimate, seldom.estimate - seldom.low);
  estimate.remark = "the two coincide in " + std::to_string(static_cast<int64_t>(seen.own.least)) + " of " +
                    std::to_string(static_cast<int64_t>(seen.runs)) + " runs, and would in " +
                    percent_text(seen.shuffled.least) + " with shuffled partners";
  return estimate;
}

}  // namespace atto
