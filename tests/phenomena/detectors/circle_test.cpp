#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "synthetic.h"

namespace atto::circle_test {
namespace {

using synthetic::value_of;
constexpr double kTurn = 2 * std::numbers::pi;

Finding detect(const std::vector<double>& embedding, int64_t vocab, bool bos = false) {
  const int64_t rows = vocab + (bos ? 1 : 0);
  RunConfig config = synthetic::with_vocabulary(vocab);
  config.data.bos = bos;
  return synthetic::detector("circle")->detect(
      synthetic::finished({synthetic::snapshots("embedding", {rows, std::ssize(embedding) / rows}, {embedding})}),
      config);
}

// Tokens at `angles` on a circle of radius 3 about (1, -2), with radial noise, padded by small numbers up to `width`.
std::vector<double> ring(const std::vector<double>& angles, double noise = 0, int width = 2, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> points;
  for (const double angle : angles) {
    const double radius = 3 + noise * normal(random);
    points.push_back(1 + radius * std::cos(angle));
    points.push_back(-2 + radius * std::sin(angle));
    for (int k = 2; k < width; ++k) points.push_back(0.1 * normal(random));
  }
  return points;
}

std::vector<double> even_angles(int count) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back(kTurn * i / count);
  return angles;
}

TEST(Circle, ExactCirclesAreFoundExactly) {
  for (const int count : {4, 5, 30, 100}) {
    const Finding finding = detect(ring(even_angles(count)), count);
    EXPECT_EQ(value_of(finding, "on_circle"), 1);
    EXPECT_NEAR(*value_of(finding, "radius"), 3, 1e-9);
    EXPECT_NEAR(*value_of(finding, "residual"), 0, 1e-9);
    EXPECT_NEAR(*value_of(finding, "evenness"), 1, 1e-9);
    EXPECT_NEAR(*value_of(finding, "largest_gap"), 1, 1e-9);
    EXPECT_NEAR(*value_of(finding, "smallest_gap"), 1, 1e-9);
    EXPECT_NEAR(*value_of(finding, "planarity"), 1, 1e-9);
  }
}

TEST(Circle, UnevenTokensAreStillOnIt) {
  std::vector<double> angles = even_angles(30);
  angles[3] = angles[2];  // two tokens coincide, so one gap is 0 and one is double
  const Finding finding = detect(ring(angles), 30);
  EXPECT_EQ(value_of(finding, "on_circle"), 1);
  EXPECT_NEAR(*value_of(finding, "radius"), 3, 1e-9);
  EXPECT_NEAR(*value_of(finding, "largest_gap"), 2, 1e-9);
  EXPECT_NEAR(*value_of(finding, "smallest_gap"), 0, 1e-9);
  // 28 gaps of 1/30 and one of 2/30.
  EXPECT_NEAR(*value_of(finding, "evenness"), std::pow(0.5, 2.0 / 30), 1e-9);
}

TEST(Circle, NoiseIsMeasured) {
  for (const int width : {2, 5}) {
    double sum = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
      const Finding finding = detect(ring(even_angles(50), 0.15, width, seed), 50);
      EXPECT_EQ(value_of(finding, "on_circle"), 1);
      EXPECT_NEAR(*value_of(finding, "radius"), 3, 0.15);
      sum += *value_of(finding, "residual") / 50;
    }
    EXPECT_NEAR(sum, 0.05, 0.005);
  }
}

// 200 normal clouds and 200 filled discs of 30 tokens: none passes for a circle.
TEST(Circle, CloudsAreNone) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> cloud, disc;
    for (int i = 0; i < 30; ++i) {
      cloud.insert(cloud.end(), {normal(random), normal(random)});
      const double radius = std::sqrt(uniform(random)), angle = kTurn * uniform(random);
      disc.insert(disc.end(), {radius * std::cos(angle), radius * std::sin(angle)});
    }
    EXPECT_EQ(value_of(detect(cloud, 30), "on_circle"), 0);
    EXPECT_EQ(value_of(detect(disc, 30), "on_circle"), 0);
  }
}

// Four tokens at random lie near a circle in one of twenty cases; asked to be no accident, in one of a hundred.
TEST(Circle, FewTokensMustBeMoreThanChance) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int near = 0, found = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> square;
    for (int i = 0; i < 8; ++i) square.push_back(uniform(random));
    const Finding finding = detect(square, 4);
    const bool close = *value_of(finding, "residual") <= 0.1 && *value_of(finding, "largest_gap") < 2;
    near += close;
    found += *value_of(finding, "on_circle") > 0;
    EXPECT_LE(*value_of(finding, "on_circle"), close);
  }
  EXPECT_GT(near, 0.03 * kTrials);
  EXPECT_LE(found, 0.02 * kTrials);
}

TEST(Circle, ShortArcsAndNearLinesDoNotSurroundTheirCentre) {
  std::vector<double> angles, line;
  for (int i = 0; i < 30; ++i) {
    angles.push_back(0.05 * i);
    line.insert(line.end(), {0.1 * i, 1e-4 * i * i});
  }
  for (const auto& points : {ring(angles), line}) {
    const Finding finding = detect(points, 30);
    EXPECT_LT(*value_of(finding, "residual"), 0.01);
    EXPECT_EQ(value_of(finding, "on_circle"), 0);
  }
}

TEST(Circle, LeavesOutBos) {
  std::vector<double> points = ring(even_angles(10));
  points.insert(points.end(), {100, 100});
  EXPECT_NEAR(*value_of(detect(points, 10, true), "radius"), 3, 1e-9);
}

TEST(Circle, IsMissingWhereThereIsNoPlane) {
  std::vector<double> one_dimension, coincident, line;
  for (int i = 0; i < 10; ++i) {
    one_dimension.push_back(i);
    coincident.insert(coincident.end(), {0.3, 0.7});
    line.insert(line.end(), {0.1 * i, 0.3 * i});
  }
  for (const auto& finding :
       {detect(one_dimension, 10), detect(coincident, 10), detect(line, 10), detect(ring(even_angles(3)), 3)})
    for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name;
}

}  // namespace
}  // namespace atto::circle_test
