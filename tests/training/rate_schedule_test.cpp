#include "training/rate_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

TrainingConfig with(const std::string& schedule, int64_t steps, int64_t warmup, double final_rate) {
  TrainingConfig config;
  config.rate = 0.5;
  config.schedule = from_word<RateSchedule>(schedule);
  config.steps = steps;
  config.warmup = warmup;
  config.final_rate = final_rate;
  return config;
}

TEST(RateAt, ConstantStaysWhereItIs) {
  for (const int64_t step : {0, 1, 50, 99, 1000}) EXPECT_EQ(rate_at(with("constant", 100, 0, 0.1), step), 0.5);
}

TEST(RateAt, WarmUpRisesLinearlyAndItsFirstStepMoves) {
  for (const std::string schedule : {"constant", "linear", "cosine"}) {
    const TrainingConfig config = with(schedule, 100, 10, 0.0);
    EXPECT_DOUBLE_EQ(rate_at(config, 0), 0.05);
    EXPECT_DOUBLE_EQ(rate_at(config, 4), 0.25);
    EXPECT_DOUBLE_EQ(rate_at(config, 9), 0.5);
    EXPECT_DOUBLE_EQ(rate_at(config, 10), 0.5) << "the fall begins after the warm-up";
  }
}

TEST(RateAt, FallsEndAtTheFinalRateOnTheLastStep) {
  for (const std::string schedule : {"linear", "cosine"}) {
    for (const double final_rate : {0.0, 0.1, 1.0}) {
      const TrainingConfig config = with(schedule, 101, 20, final_rate);
      EXPECT_DOUBLE_EQ(rate_at(config, 20), 0.5);
      EXPECT_NEAR(rate_at(config, 60), 0.5 * (1 + final_rate) / 2, 1e-15) << "half-way";
      EXPECT_NEAR(rate_at(config, 100), 0.5 * final_rate, 1e-15);
      for (int64_t step = 20; step < 100; ++step) EXPECT_LE(rate_at(config, step + 1), rate_at(config, step) + 1e-15);
    }
  }
}

TEST(RateAt, LinearAndCosineHaveTheirShapes) {
  // A quarter of the way: 3/4 of the height, and (1 + cos 45°)/2 of it.
  EXPECT_NEAR(rate_at(with("linear", 101, 0, 0.0), 25), 0.5 * 0.75, 1e-15);
  EXPECT_NEAR(rate_at(with("cosine", 101, 0, 0.0), 25), 0.5 * 0.85355339059327373, 1e-15);
}

TEST(RateAt, ShortRunsHaveNoHole) {
  EXPECT_EQ(rate_at(with("linear", 1, 0, 0.0), 0), 0.5);
  EXPECT_EQ(rate_at(with("cosine", 3, 3, 0.0), 2), 0.5) << "all warm-up";
  EXPECT_EQ(rate_at(with("linear", 2, 1, 0.0), 1), 0.5);
}

TEST(RateAt, NeverRisesAgainAfterTheLastStep) {
  EXPECT_NEAR(rate_at(with("cosine", 10, 0, 0.1), 25), 0.05, 1e-15);
  EXPECT_NEAR(rate_at(with("linear", 10, 0, 0.1), 25), 0.05, 1e-15);
}

TEST(RateAt, PointsAreTheRatesThemselves) {
  TrainingConfig config = with("points", 100, 0, 0.0);
  config.rate = TrainingConfig().rate;
  config.points = {{10, 0.1}, {20, 0.3}, {50, 0}};
  EXPECT_NO_THROW(validate_rates(config));
  EXPECT_EQ(rate_at(config, 0), 0.1);
  EXPECT_EQ(rate_at(config, 10), 0.1);
  EXPECT_NEAR(rate_at(config, 15), 0.2, 1e-15);
  EXPECT_EQ(rate_at(config, 20), 0.3);
  EXPECT_NEAR(rate_at(config, 40), 0.1, 1e-15);
  EXPECT_EQ(rate_at(config, 50), 0);
  EXPECT_EQ(rate_at(config, 99), 0);
}

TEST(RateAt, HoldFallsAfterItsShare) {
  TrainingConfig config = with("hold", 111, 10, 0.2);  // 101 steps after the warm-up
  config.hold = 0.5;
  EXPECT_DOUBLE_EQ(rate_at(config, 4), 0.25);
  for (const int64_t step : {10, 30, 61}) EXPECT_DOUBLE_EQ(rate_at(config, step), 0.5) << step;
  EXPECT_LT(rate_at(config, 62), 0.5);
  EXPECT_NEAR(rate_at(config, 110), 0.1, 1e-15);
  config.hold = 1;
  EXPECT_DOUBLE_EQ(rate_at(config, 110), 0.5);
  config.hold = 0;
  for (int64_t step = 0; step < 111; ++step)
    EXPECT_DOUBLE_EQ(rate_at(config, step), rate_at(with("linear", 111, 10, 0.2), step));
}

TEST(RateAt, StepsDropByAFactor) {
  TrainingConfig config = with("steps", 100, 10, 0);
  config.drop = 0.5;
  config.drop_every = 20;
  EXPECT_NO_THROW(validate_rates(config));
  EXPECT_DOUBLE_EQ(rate_at(config, 29), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(config, 30), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(config, 99), 0.5 / 16);
  config.drop_every = 0;
  config.drop_at = {40, 90};
  EXPECT_NO_THROW(validate_rates(config));
  EXPECT_DOUBLE_EQ(rate_at(config, 39), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(config, 40), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(config, 90), 0.125);
  config.final_rate = 0.5;
  EXPECT_DOUBLE_EQ(rate_at(config, 40), 0.375) << "it drops towards the final rate";
}

TEST(RateAt, InverseRootJoinsTheWarmUp) {
  const TrainingConfig config = with("inverse-root", 1000, 100, 0);
  EXPECT_DOUBLE_EQ(rate_at(config, 99), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(config, 399), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(with("inverse-root", 1000, 0, 0), 0), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(with("inverse-root", 1000, 0, 0), 24), 0.1);
}

TEST(RateSettings, OfAnotherScheduleAreRefused) {
  const auto refused = [](const TrainingConfig& config) {
    try {
      validate_rates(config);
    } catch (const Error& error) {
      return !error.remedy().empty();
    }
    return false;
  };
  TrainingConfig config;
  EXPECT_FALSE(refused(config));
  for (const char* setting : {"training.hold", "training.drop"}) {
    TrainingConfig other;
    training_schema().at(setting).set(other, 0.3);
    EXPECT_TRUE(refused(other)) << setting;
  }
  config.schedule = RateSchedule::steps;
  EXPECT_TRUE(refused(config)) << "never drops";
  config.drop_at = {10, 20};
  EXPECT_FALSE(refused(config));
  config.drop_every = 5;
  EXPECT_TRUE(refused(config)) << "two answers";
  config.drop_every = 0;
  for (const std::vector<double>& steps : {std::vector<double>{20, 10}, {10, 10}, {10.5}}) {
    config.drop_at = steps;
    EXPECT_TRUE(refused(config)) << steps[0];
  }
  config = {};
  config.points = {{0, 1}};
  EXPECT_TRUE(refused(config)) << "the schedule is constant";
  config.schedule = RateSchedule::points;
  EXPECT_FALSE(refused(config));
  config.rate = 0.5;
  EXPECT_TRUE(refused(config)) << "without effect";
  config = {};
  config.schedule = RateSchedule::points;
  EXPECT_TRUE(refused(config)) << "no points";
  for (const std::vector<std::pair<double, double>>& points :
       {std::vector<std::pair<double, double>>{{5, 1}, {5, 2}}, {{5, 1}, {3, 1}}, {{-1, 1}}, {{0, -1}}, {{0, NAN}}}) {
    config.points = points;
    EXPECT_TRUE(refused(config)) << points[0].first;
  }
}

}  // namespace
}  // namespace atto
