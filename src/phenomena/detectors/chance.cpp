#include "phenomena/detectors/chance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/random.h"

namespace atto {
namespace {

constexpr uint64_t kChanceSeed = 1;
constexpr int64_t kMostPlaced = 200;

// Evenly in the unit ball: a direction by normal numbers, a radius by the power of a uniform one.
void place_in_ball(std::span<double> point, uint64_t draw, uint32_t token) {
  const auto width = static_cast<uint32_t>(point.size());
  double square = 0;
  for (uint32_t i = 0; i < width; ++i) {
    point[i] = standard_normal(kChanceSeed, Purpose::bootstrap, draw, token * (width + 1) + i);
    square += point[i] * point[i];
  }
  const double even = unit_real(random_block(kChanceSeed, Purpose::bootstrap, draw, token * (width + 1) + width, 0)[2]);
  const double scale = std::pow(even, 1.0 / width) / std::sqrt(square);
  for (double& coordinate : point) coordinate *= scale;
}

}  // namespace

double chance_of_at_most(double observed, std::span<const double> draws) {
  const auto as_extreme = std::count_if(draws.begin(), draws.end(), [&](double one) { return one <= observed; });
  return (1 + static_cast<double>(as_extreme)) / (1 + static_cast<double>(draws.size()));
}

std::vector<double> shuffled_draws(size_t count, const std::function<double(std::span<const size_t>)>& statistic) {
  std::vector<double> draws;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t draw = 0; draw < kChanceDraws; ++draw) {
    for (size_t i = count; i > 1; --i) {  // Fisher and Yates; the order before is as good a start as any
      const uint32_t word =
          random_block(kChanceSeed, Purpose::bootstrap, draw, static_cast<uint32_t>(i), 0xffffffff)[0];
      std::swap(order[i - 1], order[random_below(static_cast<uint32_t>(i), word)]);
    }
    draws.push_back(statistic(order));
  }
  return draws;
}

std::vector<double> placed_draws(int64_t tokens, int64_t width, const std::function<double(const Points&)>& statistic) {
  const int64_t placed = std::min(tokens, kMostPlaced);
  std::vector<double> draws, points(static_cast<size_t>(placed * width));
  for (size_t draw = 0; draw < kChanceDraws; ++draw) {
    for (int64_t token = 0; token < placed; ++token)
      place_in_ball(std::span(points).subspan(static_cast<size_t>(token * width), static_cast<size_t>(width)), draw,
                    static_cast<uint32_t>(token));
    draws.push_back(statistic(Points(points.data(), placed, width)));
  }
  return draws;
}

}  // namespace atto
