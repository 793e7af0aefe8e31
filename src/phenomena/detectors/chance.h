// What tokens placed by chance would show: the null distributions that thresholds of geometry are held against. All
// draws come from the counter-based generator with a fixed key, so the same run always gives the same p.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "phenomena/detectors/points.h"

namespace atto {

// The smallest p that so many draws can give is 1/200.
inline constexpr size_t kChanceDraws = 199;

// (1 + how many of the draws are at most `observed`) / (1 + draws): the share of chance that is at least as extreme, an
// honest p at any number of draws.
double chance_of_at_most(double observed, std::span<const double> draws);

// The statistic of `count` things under shuffles of their order: it gets a permutation of 0 .. count-1.
std::vector<double> shuffled_draws(size_t count, const std::function<double(std::span<const size_t>)>& statistic);

// The statistic of `tokens` points placed at random, evenly in the ball of `width` dimensions. More than 200 points are
// as good as infinitely many, and 200 are drawn instead: fewer scatter more, which only makes p larger.
std::vector<double> placed_draws(int64_t tokens, int64_t width, const std::function<double(const Points&)>& statistic);

}  // namespace atto
