// How long a sweep will take, from what earlier runs of it took.
#include "lab/sweep/time_forecast.h"

#include <gtest/gtest.h>

#include "lab/store/store_samples.h"

namespace atto::time_forecast_test {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's

class TimeForecastTest : public StoreFolder {
 protected:
  TimeForecastTest() : store_(path(), Store::Mode::write) {
    study_.base.data.vocab = 4;
    study_.base.training.batch = 16;
    study_.base.training.steps = 100;
    study_.observe = {{{"perplexity"}, {10, 0, 0, {}}}};
    for (int64_t number = 0; number < 8; ++number) {
      TrainRun run{static_cast<size_t>(number % 2), number / 2, study_.base, ""};
      if (number % 2 == 1) run.config.training.steps = 300;
      run.config.seeds.init = run.config.seeds.data = 1 + number / 2;
      run.id = run_id(run.config, study_.observe);
      runs_.push_back(run);
    }
  }
  void save(size_t index, int64_t steps, double seconds) {
    Recording recording;
    recording.steps_done = steps;
    store_.save({{runs_[index].id, "{}", 1, 1, recording, seconds}});
  }
  TimeForecast forecast(int threads) {
    return forecast_time(study_, runs_, forecast_sweep(study_, runs_, &store_, threads), &store_, 0);
  }

  Store store_;
  Study study_;
  std::vector<TrainRun> runs_;
};

TEST_F(TimeForecastTest, IsTheCostThatIsLeftAtTheSpeedOfTheStoredRuns) {
  RunCosts costs;
  const double brief = costs.of(runs_[0]), lengthy = costs.of(runs_[1]);
  EXPECT_GT(lengthy, 2 * brief);
  save(0, 100, 2.0);
  save(1, 150, 3.0);  // stopped half-way, so it has half of its cost behind it
  const double speed = (2.0 + 3.0) / (brief + lengthy / 2);
  const TimeForecast alone = forecast(1);
  EXPECT_EQ(alone.basis, TimeForecast::Basis::stored);
  EXPECT_EQ(alone.stored, 2);
  EXPECT_NEAR(alone.seconds, 3 * (brief + lengthy) * speed, 1e-9 * alone.seconds);
  EXPECT_NEAR(forecast(2).seconds, alone.seconds / 2, 1e-9 * alone.seconds);
}

// With a thread for each run the longest decides.
TEST_F(TimeForecastTest, NoThreadIsFasterThanTheLongestRun) {
  RunCosts costs;
  save(0, 100, 2.0);
  const TimeForecast many = forecast(64);
  EXPECT_NEAR(many.seconds, costs.of(runs_[1]) * 2.0 / costs.of(runs_[0]), 1e-9 * many.seconds);
}

TEST_F(TimeForecastTest, ACheckpointHasItsPartBehindIt) {
  RunCosts costs;
  for (size_t i = 0; i < 7; ++i) save(i, runs_[i].config.training.steps, 1.0);
  store_.save_checkpoint(runs_[7].id, {{225, 0, {}, {}, {}}, {}}, 1);
  const Forecast sweep = forecast_sweep(study_, runs_, &store_, 1);
  EXPECT_EQ(sweep.steps, 4 * 100 + 4 * 300);
  EXPECT_EQ(sweep.steps_left, 75);
  EXPECT_EQ(sweep.runs, 8);
  EXPECT_EQ(sweep.stored, 7);
  EXPECT_EQ(sweep.unfinished, 1);
  const double speed = 7.0 / (4 * costs.of(runs_[0]) + 3 * costs.of(runs_[1]));
  const TimeForecast left = forecast(1);
  EXPECT_NEAR(left.seconds, costs.of(runs_[1]) * 75 / 300 * speed, 1e-9 * left.seconds);
}

TEST_F(TimeForecastTest, NothingIsKnownWithoutARun) {
  const TimeForecast nothing = forecast(1);
  EXPECT_EQ(nothing.basis, TimeForecast::Basis::none);
  for (size_t i = 0; i < runs_.size(); ++i) save(i, 100, 1.0);
  EXPECT_EQ(forecast(1).seconds, 0);
}

}  // namespace
}  // namespace atto::time_forecast_test
