#include "training/rate_schedule.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace atto
