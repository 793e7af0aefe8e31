#include "phenomena/outcomes/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "math/correlation.h"
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

// How the censored values of a cell are ordered among themselves.
enum class CensoredOrder { equal, agreeing, opposing };

// Hands the ranks behind all seen values to the censored ones in the order of `keys`.
void order_censored(const Outcomes& outcomes, const std::vector<double>& keys, bool backwards,
                    std::vector<double>& places) {
  std::vector<size_t> censored;
  for (size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i].censored) censored.push_back(i);
  std::sort(censored.begin(), censored.end(), [&](size_t i, size_t j) {
    if (keys[i] != keys[j]) return keys[i] < keys[j];
    return backwards ? i > j : i < j;
  });
  auto place = static_cast<double>(outcomes.size() - censored.size());
  for (const size_t i : censored) places[i] = ++place;
}

RankCorrelation correlate(const PairedOutcomes& pairs, CensoredOrder order) {
  const std::vector<double> tied_x = ranks(ranked_values(pairs.first)), tied_y = ranks(ranked_values(pairs.second));
  std::vector<double> x = tied_x, y = tied_y;
  if (order != CensoredOrder::equal) {
    // By the rearrangement inequality Σ x y is largest where the free ranks rise with their partners, and least where
    // they fall. Runs in which both are censored are taken by number, backwards in one of the two where they oppose.
    const bool opposing = order == CensoredOrder::opposing;
    const auto keys = [opposing](std::vector<double> partners) {
      for (double& one : partners) one = opposing ? -one : one;
      return partners;
    };
    order_censored(pairs.first, keys(tied_y), false, x);
    order_censored(pairs.second, keys(tied_x), opposing, y);
  }
  return rank_correlation(x, y);
}

// ---- coincidence

enum class Together { no, yes, unknown };

Together together(const Outcome& first, const Outcome& second, double within) {
  const double a = *first.value, b = *second.value, reach = 1 + within;
  if (first.censored && second.censored) return Together::unknown;
  if (first.censored) return a < b * reach ? Together::unknown : Together::no;
  if (second.censored) return b < a * reach ? Together::unknown : Together::no;
  return std::max(a, b) <= reach * std::min(a, b) ? Together::yes : Together::no;
}

// How often events coincide in a cell, with unknown pairs counted as yes or as no.
struct CellShares {
  double pairs = 0, own = 0;          // runs; those whose own events coincide
  double shuffled = 0, variance = 0;  // share among partners of different runs, and its jackknife variance
};

CellShares coincide(const PairedOutcomes& cell, double within, bool unknown_counts) {
  const size_t n = cell.first.size();
  CellShares shares{static_cast<double>(n)};
  std::vector<double> with_others(n);  // of run i: coincidences of its events with those of other runs
  double all = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const Together found = together(cell.first[i], cell.second[j], within);
      if (found == Together::no || (found == Together::unknown && !unknown_counts)) continue;
      if (i == j) {
        ++shares.own;
        continue;
      }
      ++all;
      ++with_others[i];
      ++with_others[j];
    }
  }
  const double m = shares.pairs;
  shares.shuffled = all / (m * (m - 1));
  // The share without run i is (all - with_others_i)/((m-1)(m-2)), and the mean of these is `shuffled` itself.
  double squares = 0;
  for (const double one : with_others) {
    const double without = (all - one) / ((m - 1) * (m - 2));
    squares += (without - shares.shuffled) * (without - shares.shuffled);
  }
  shares.variance = (m - 1) / m * squares;
  return shares;
}

// Fewer runs than this leave no share when one of them is left out.
constexpr size_t kFewestShuffled = 3;

// The shares of all cells as one, weighted by their runs.
struct PooledShares {
  double runs = 0, own = 0, shuffled = 0, variance = 0, freedom = 0;

  PooledShares(const std::vector<PairedOutcomes>& cells, double within, bool unknown_counts) {
    for (const PairedOutcomes& cell : cells) {
      if (cell.first.size() < kFewestShuffled) continue;
      const CellShares one = coincide(cell, within, unknown_counts);
      runs += one.pairs;
      own += one.own;
      shuffled += one.pairs * one.shuffled;
      variance += one.pairs * one.pairs * one.variance;
      freedom += one.pairs - 1;
    }
    shuffled /= runs;
    variance /= runs * runs;
  }

  double share() const { return own / runs; }
  Interval own_interval(double level) const {
    return wilson(static_cast<int64_t>(own), static_cast<int64_t>(runs), level);
  }
  // Student's t over the jackknife, within [0, 1].
  Interval shuffled_interval(double level) const {
    const double t = student_quantile(freedom, 0.5 + level / 2);
    const double half = t * std::sqrt(variance);
    return {shuffled, std::max(0.0, shuffled - half), std::min(1.0, shuffled + half)};
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
  std::vector<RankCorrelation> equal, agreeing, opposing;
  int64_t left_out = 0;
  for (const PairedOutcomes& cell : complete) {
    const RankCorrelation one = correlate(cell, CensoredOrder::equal);
    if (one.pairs < kFewestPairs || std::isnan(one.rho)) {
      ++left_out;
      continue;
    }
    equal.push_back(one);
    agreeing.push_back(correlate(cell, CensoredOrder::agreeing));
    opposing.push_back(correlate(cell, CensoredOrder::opposing));
  }
  if (left_out > 0)
    estimate.remark = std::to_string(left_out) + " of " + std::to_string(cells.size()) +
                      " cells left out: fewer than " + std::to_string(kFewestPairs) +
                      " runs have both quantities, or one of them is the same in all";
  if (equal.empty()) {
    estimate.obstacle = "in no cell do both quantities vary over enough runs";
    return estimate;
  }
  estimate.value = mean_correlation(equal, level).estimate;
  estimate.low = mean_correlation(opposing, level).low;
  estimate.high = mean_correlation(agreeing, level).high;
  return estimate;
}

// The share of runs has Wilson's interval and the shuffled share a jackknife's; the distances of the limits that push
// the difference the same way add in quadrature, as in share_difference(). In simulations of 8 to 64 runs, of events
// that are independent, identical, half of each, opposed or in two clusters, the interval holds the truth in 96 to
// 100 %.
Estimate summarise_coincidence(const std::vector<PairedOutcomes>& cells, double within, const Certainty& certainty) {
  const double level = certainty.spent_level();
  Estimate estimate;
  const std::vector<PairedOutcomes> complete = count_pairs(cells, estimate);
  if (!estimate.obstacle.empty()) return estimate;
  const PooledShares seen(complete, within, false), most(complete, within, true);
  if (seen.runs == 0) {
    estimate.obstacle = "no cell has " + std::to_string(kFewestShuffled) + " runs with both events to shuffle";
    return estimate;
  }
  estimate.value = seen.share() - seen.shuffled;
  const Interval own = seen.own_interval(level), others = seen.shuffled_interval(level);
  const Interval own_most = most.own_interval(level), others_most = most.shuffled_interval(level);
  estimate.low =
      own.estimate - others_most.estimate - std::hypot(own.estimate - own.low, others_most.high - others_most.estimate);
  estimate.high =
      own_most.estimate - others.estimate + std::hypot(own_most.high - own_most.estimate, others.estimate - others.low);
  estimate.remark = "the two coincide in " + std::to_string(static_cast<int64_t>(seen.own)) + " of " +
                    std::to_string(static_cast<int64_t>(seen.runs)) + " runs, and would in " +
                    percent_text(seen.shuffled) + " with shuffled partners";
  return estimate;
}

}  // namespace atto
