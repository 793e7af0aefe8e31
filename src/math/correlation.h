// How far two lists of numbers go together.
#pragma once

#include <span>
#include <vector>

namespace atto {

// Ranks 1 .. n; equal values share the mean of the ranks they fill.
std::vector<double> ranks(std::span<const double> values);

// Pearson's r in [-1, 1]; NaN with fewer than two pairs or where either side is constant: there is nothing to go with.
double pearson(std::span<const double> x, std::span<const double> y);

// Spearman's rho: Pearson's r of the ranks, ties included. Unchanged by any increasing map of either side.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace atto
