#include "math/margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "base/error.h"

namespace atto {
namespace {

double worst(const std::vector<double>& points, const std::vector<double>& s) {
  double lowest = INFINITY;
  for (size_t i = 0; i < points.size(); i += s.size()) {
    double along = 0;
    for (size_t k = 0; k < s.size(); ++k) along += s[k] * points[i + k];
    lowest = std::min(lowest, along);
  }
  return lowest;
}

TEST(WidestMargin, HalvesTheAngleBetweenTwoUnitVectors) {
  const auto margin = widest_margin(std::vector<double>{1, 0, 0, 1}, 2);
  ASSERT_TRUE(margin);
  EXPECT_NEAR(margin->direction[0], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(margin->direction[1], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(margin->width, std::sqrt(0.5), 1e-12);
}

TEST(WidestMargin, PointsToASinglePoint) {
  const auto margin = widest_margin(std::vector<double>{0, -3, 4}, 3);
  ASSERT_TRUE(margin);
  EXPECT_NEAR(margin->width, 5, 1e-12);
  EXPECT_NEAR(margin->direction[2], 0.8, 1e-12);
}

TEST(WidestMargin, NeedsAHalfSpaceThatHoldsAllPoints) {
  EXPECT_FALSE(widest_margin(std::vector<double>{1, 0, -1, 0}, 2));
  EXPECT_FALSE(widest_margin(std::vector<double>{1, 0, -1, 1, -1, -1}, 2));  // a triangle about the origin
  EXPECT_FALSE(widest_margin(std::vector<double>{0, 0, 1, 1}, 2));
  EXPECT_FALSE(widest_margin(std::vector<double>{0, 0}, 2));
  EXPECT_THROW(widest_margin(std::vector<double>{}, 2), Error);
  EXPECT_THROW(widest_margin(std::vector<double>{1, 2, 3}, 2), Error);
}

TEST(WidestMargin, InOneDimensionIsASign) {
  EXPECT_EQ(widest_margin(std::vector<double>{-2, -5, -3}, 1)->direction[0], -1);
  EXPECT_EQ(widest_margin(std::vector<double>{-2, -5, -3}, 1)->width, 2);
  EXPECT_FALSE(widest_margin(std::vector<double>{-2, 5}, 1));
}

TEST(WidestMargin, CoincidentPointsAreOnePoint) {
  const auto margin = widest_margin(std::vector<double>{0.1, 0.2, 0.1, 0.2, 0.1, 0.2}, 2);
  ASSERT_TRUE(margin);
  EXPECT_NEAR(margin->width, std::sqrt(0.05), 1e-12);
}

TEST(WidestMargin, InThePlaneNoScannedDirectionIsBetter) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int separable = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> points;
    for (int i = 0; i < 3 + trial % 5; ++i) {
      points.push_back(normal(random) + 1);
      points.push_back(normal(random));
    }
    double best = -INFINITY;
    for (int k = 0; k < 20000; ++k) {
      const double angle = 2 * std::numbers::pi * k / 20000;
      best = std::max(best, worst(points, {std::cos(angle), std::sin(angle)}));
    }
    const auto margin = widest_margin(points, 2);
    if (std::abs(best) < 1e-3) continue;
    ASSERT_EQ(margin.has_value(), best > 0) << "trial " << trial;
    if (!margin) continue;
    ++separable;
    EXPECT_NEAR(margin->width, best, 1e-3);
    EXPECT_NEAR(margin->width, worst(points, margin->direction), 1e-12);
  }
  EXPECT_GT(separable, 50);
}

// Wendel: n random directions in d dimensions lie in a half-space with probability 2^(1-n) Σ_{k<d} (n-1 over k).
TEST(WidestMargin, RandomDirectionsFitAHalfSpaceAsOftenAsTheoryTells) {
  struct Case {
    int points, columns;
    double probability;
  };
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (const Case& one : {Case{4, 2, 0.5}, Case{10, 2, 10.0 / 512}, Case{8, 3, 29.0 / 128}, Case{4, 4, 1}}) {
    int separable = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<double> points;
      for (int i = 0; i < one.points * one.columns; ++i) points.push_back(normal(random));
      separable += widest_margin(points, static_cast<size_t>(one.columns)).has_value();
    }
    const double error = std::sqrt(one.probability * (1 - one.probability) / 4000);
    EXPECT_NEAR(separable / 4000.0, one.probability, 3 * error + 1e-9) << one.points << " in " << one.columns;
  }
}

// Whatever the width, s is a combination of points with weights >= 0 only if the margin is optimal: no small change of
// direction may improve it.
TEST(WidestMargin, InManyDimensionsNoNearbyDirectionIsBetter) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const size_t columns : {3, 5, 10, 20}) {
    for (int trial = 0; trial < 30; ++trial) {
      std::vector<double> points;
      for (int i = 0; i < 12; ++i)
        for (size_t k = 0; k < columns; ++k) points.push_back(normal(random) + (k == 0 ? 2.5 : 0));
      const auto margin = widest_margin(points, columns);
      if (!margin) continue;
      for (int k = 0; k < 200; ++k) {
        std::vector<double> other = margin->direction;
        double norm = 0;
        for (double& value : other) value += (k < 100 ? 0.01 : 0.3) * normal(random);
        for (const double value : other) norm += value * value;
        for (double& value : other) value /= std::sqrt(norm);
        EXPECT_LE(worst(points, other), margin->width + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace atto
