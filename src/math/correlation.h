// How far two lists of numbers go together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/statistics.h"

namespace atto {

// Ranks 1 .. n; equal values share the mean of the ranks they fill.
std::vector<double> ranks(std::span<const double> values);

// Pearson's r in [-1, 1]; NaN with fewer than two pairs or where either side is constant: there is nothing to go with.
double pearson(std::span<const double> x, std::span<const double> y);

// Spearman's rho: Pearson's r of the ranks, ties included. Unchanged by any increasing map of either side.
double spearman(std::span<const double> x, std::span<const double> y);

// Kendall's tau (a): the share of pairs of places that are in the same order in both lists, less the share in opposite
// order. Ties count as neither. NaN with fewer than two places.
double kendall(std::span<const double> x, std::span<const double> y);

// The rank correlation of one group of pairs.
struct RankCorrelation {
  double rho = 0, tau = 0;  // Spearman's and Kendall's
  int64_t pairs = 0;
};
RankCorrelation rank_correlation(std::span<const double> x, std::span<const double> y);

// Groups of fewer pairs than this say nothing about how sure their rho is.
inline constexpr int64_t kFewestPairs = 4;

// The mean of Spearman's rho within groups, with its interval. Pairs of different groups are never compared: a key
// that moves both quantities from cell to cell would look like a correlation. The groups may share their luck, as cells
// share their seeds, so the interval is no narrower than that of a single group. Groups of fewer than kFewestPairs
// pairs, or without a rho, are left out; without any other the estimate is NaN and the interval [-1, 1].
Interval mean_correlation(std::span<const RankCorrelation> groups, double confidence = 0.95);

}  // namespace atto
