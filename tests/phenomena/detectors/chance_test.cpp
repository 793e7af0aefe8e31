// Null distributions: what tokens placed or ordered by chance would show.
#include "phenomena/detectors/chance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace atto::chance_test {
namespace {

TEST(Chance, IsTheShareOfDrawsAtMost) {
  const std::vector<double> draws{1, 2, 3, 4};
  EXPECT_EQ(chance_of_at_most(0, draws), 0.2);
  EXPECT_EQ(chance_of_at_most(2, draws), 0.6);
  EXPECT_EQ(chance_of_at_most(9, draws), 1);
}

TEST(Chance, ShufflesArePermutationsAndTheSameEveryTime) {
  std::set<std::vector<size_t>> seen;
  std::vector<double> first_place;
  const auto statistic = [&](std::span<const size_t> order) {
    EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), 7u);
    seen.insert({order.begin(), order.end()});
    first_place.push_back(static_cast<double>(order[0]));
    return static_cast<double>(order[0]);
  };
  const std::vector<double> draws = shuffled_draws(7, statistic);
  EXPECT_EQ(draws.size(), kChanceDraws);
  EXPECT_GT(seen.size(), 190u);
  double mean = 0;
  for (const double one : first_place) mean += one / static_cast<double>(kChanceDraws);
  EXPECT_NEAR(mean, 3, 0.6);  // 4 standard errors
  EXPECT_EQ(shuffled_draws(7, statistic), draws);
}

TEST(Chance, PointsFillABallEvenly) {
  for (const int64_t width : {1, 2, 5}) {
    double inner = 0, mean = 0, count = 0;
    placed_draws(10, width, [&](const Points& points) {
      EXPECT_EQ(points.rows(), 10);
      EXPECT_EQ(points.cols(), width);
      for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const double radius = points.row(i).norm();
        EXPECT_LE(radius, 1 + 1e-12);
        inner += std::pow(radius, static_cast<double>(width)) < 0.5;  // half of the volume
        mean += points(i, 0);
        ++count;
      }
      return 0.0;
    });
    EXPECT_NEAR(inner / count, 0.5, 0.05) << width;
    EXPECT_NEAR(mean / count, 0, 0.05) << width;
  }
}

TEST(Chance, ManyPointsAreDrawnAsTwoHundred) {
  placed_draws(5000, 2, [](const Points& points) {
    EXPECT_EQ(points.rows(), 200);
    return 0.0;
  });
}

}  // namespace
}  // namespace atto::chance_test
