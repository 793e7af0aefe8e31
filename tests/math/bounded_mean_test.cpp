#include "math/bounded_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "math/confidence_sequence.h"
#include "math/streams.h"

namespace atto::bounded_mean_test {
namespace {

std::vector<double> uniform(uint32_t key, size_t count, double low, double high) {
  Stream stream(key, 0);
  std::vector<double> values(count);
  for (double& value : values) value = low + (high - low) * stream();
  return values;
}

// Four players who bet on a mean above `mean` of values in [0, 1], written from the definition.
double capital_above(std::span<const double> values, double mean, double confidence) {
  double capital = 0;
  for (const double horizon : {16.0, 64.0, 256.0, 1024.0}) {
    double product = 1;
    for (size_t i = 0; i < values.size(); ++i) {
      double squares = 0.25, sum = 0.5;  // of the values before this one
      for (size_t j = 0; j < i; ++j) {
        sum += values[j];
        squares += std::pow(values[j] - sum / static_cast<double>(j + 2), 2);
      }
      const double variance = squares / static_cast<double>(i + 1);
      const double bet = std::sqrt(2 * std::log(2 / (1 - confidence)) / variance / horizon);
      product *= 1 + std::min(bet, 0.75 / mean) * (values[i] - mean);
    }
    capital += product / 4;
  }
  return capital;
}

TEST(BoundedMean, EndsWhereAPlayerHasReachedTheGoal) {
  for (const double confidence : {0.95, 0.999})
    for (const size_t n : {12, 60}) {
      std::vector<double> values = uniform(1, n, 0.2, 1);
      const Interval interval = bounded_mean_sequence(values, 0, 1, confidence);
      const double goal = 2 / (1 - confidence);
      EXPECT_NEAR(capital_above(values, interval.low, confidence), goal, 1e-6 * goal);
      for (double& value : values) value = 1 - value;
      if (interval.high < 1) {
        EXPECT_NEAR(capital_above(values, 1 - interval.high, confidence), goal, 1e-6 * goal);
      }
    }
}

TEST(BoundedMean, HoldsTheMeansWithLittleEvidenceAgainstThem) {
  const std::vector<double> values = uniform(2, 96, -3, 1);
  const double goal = -std::log(0.05);
  for (const double mean : {-2.9, -2.0, -1.4, -1.1, -0.9, -0.5, 0.5}) {
    const std::vector<double> evidence = bounded_mean_evidence(values, -3, 1, mean, 0.95, 8);
    ASSERT_EQ(evidence.size(), 12u);
    for (size_t look = 0; look < evidence.size(); ++look) {
      const Interval interval = bounded_mean_sequence(std::span(values).first(8 * (look + 1)), -3, 1);
      EXPECT_EQ(interval.low <= mean && mean <= interval.high, evidence[look] < goal) << mean << " look " << look;
    }
  }
}

TEST(BoundedMean, KnowsItsEdges) {
  const Interval nothing = bounded_mean_sequence({}, -1, 1);
  EXPECT_TRUE(std::isnan(nothing.estimate));
  EXPECT_EQ(nothing.low, -1);
  EXPECT_EQ(nothing.high, 1);
  const Interval one = bounded_mean_sequence(std::vector<double>{0.5}, 0, 1);
  EXPECT_EQ(one.estimate, 0.5);
  EXPECT_EQ(one.low, 0);
  EXPECT_EQ(one.high, 1);
  for (const size_t n : {16, 64, 512}) {
    const Interval ones = bounded_mean_sequence(std::vector<double>(n, 1.0), 0, 1);
    EXPECT_EQ(ones.estimate, 1);
    EXPECT_EQ(ones.high, 1);
    EXPECT_GT(ones.low, 0);
    const Interval sure = bounded_mean_sequence(std::vector<double>(n, 1.0), 0, 1, 0.999);
    EXPECT_LT(sure.low, ones.low);
    const Interval zeros = bounded_mean_sequence(std::vector<double>(n, -1.0), -1, 1);
    EXPECT_EQ(zeros.low, -1);
    EXPECT_NEAR(zeros.high, 1 - 2 * ones.low, 1e-9);
  }
  EXPECT_THROW(bounded_mean_sequence(std::vector<double>{2}, 0, 1), Error);
  EXPECT_THROW(bounded_mean_sequence(std::vector<double>{std::nan("")}, 0, 1), Error);
  EXPECT_THROW(bounded_mean_sequence(std::vector<double>{1}, 1, 1), Error);
  EXPECT_THROW(bounded_mean_sequence(std::vector<double>{1}, 0, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(bounded_mean_sequence(std::vector<double>{1}, 0, 1, 0), Error);
  EXPECT_THROW(bounded_mean_evidence(std::vector<double>{1}, 0, 1, 2), Error);
}

TEST(BoundedMean, TurnsAroundAndScalesWithTheValues) {
  const std::vector<double> values = uniform(3, 64, 0, 0.7);
  std::vector<double> turned, scaled;
  for (const double value : values) {
    turned.push_back(1 - value);
    scaled.push_back(20 * value - 10);
  }
  const Interval there = bounded_mean_sequence(values, 0, 1), back = bounded_mean_sequence(turned, 0, 1),
                 larger = bounded_mean_sequence(scaled, -10, 10);
  EXPECT_NEAR(there.low, 1 - back.high, 1e-9);
  EXPECT_NEAR(there.high, 1 - back.low, 1e-9);
  EXPECT_NEAR(20 * there.low - 10, larger.low, 1e-9);
  EXPECT_NEAR(20 * there.high - 10, larger.high, 1e-9);
}

// The figures of bounded_mean.cpp, from other streams.
TEST(BoundedMean, IsNotMuchWiderThanTheNormalInterval) {
  const double expected[] = {1.66, 1.53, 1.60, 1.59};
  size_t place = 0;
  for (const size_t n : {16, 64, 256, 512}) {
    double width = 0;
    for (uint32_t sample = 0; sample < 20; ++sample) {
      const std::vector<double> values = uniform(100 + sample, n, 0, 1);
      const Interval sequence = bounded_mean_sequence(values, 0, 1), normal = mean_interval(values);
      const double student = student_quantile(static_cast<double>(n - 1), 0.975) / 1.959964;
      width += (sequence.high - sequence.low) / (normal.high - normal.low) * student / 20;
    }
    EXPECT_NEAR(width, expected[place++], 0.05) << "n = " << n;
  }
}

// No promise covers values that drift, but their own mean is always inside.
TEST(BoundedMean, HoldsTheMeanOfDriftingValues) {
  std::vector<double> values(100, 0.49);
  values.insert(values.end(), 400, 1.0);
  values.insert(values.end(), 400, 0.0);
  for (size_t n = 1; n <= values.size(); n += 13) {
    const Interval interval = bounded_mean_sequence(std::span(values).first(n), 0, 1);
    EXPECT_LE(interval.low, interval.estimate);
    EXPECT_GE(interval.high, interval.estimate);
  }
}

TEST(SpentAlpha, IsSpentOnceAndKeepsHalfForTheLastLook) {
  for (const int looks : {1, 2, 8, 64}) {
    double sum = 0;
    for (int look = 1; look <= looks; ++look) {
      const double part = spent_alpha(0.05, look, looks);
      EXPECT_GT(part, 0);
      sum += part;
    }
    EXPECT_LE(sum, 0.05 * (1 + 1e-12));
    EXPECT_GT(sum, 0.05 * (1 - 1e-12));
    EXPECT_GE(spent_alpha(0.05, looks, looks), 0.025);
  }
  EXPECT_THROW(spent_alpha(0.05, 0, 4), Error);
  EXPECT_THROW(spent_alpha(0.05, 5, 4), Error);
  EXPECT_THROW(spent_alpha(1, 1, 4), Error);
}

}  // namespace
}  // namespace atto::bounded_mean_test
