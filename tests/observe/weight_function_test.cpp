// What a function of the weights of several seeds is asked for, and where its answers go.
#include "observe/weight_function.h"

#include <gtest/gtest.h>

#include <memory>

#include "observe/recorder.h"
#include "observe/weight_functions.h"
#include "spec/live_run.h"

namespace atto {
namespace {

RunConfig run_of(int64_t seed) {
  RunConfig config;
  config.data.vocab = 5;
  config.training.batch = 16;
  config.training.steps = 20;
  config.seeds = {seed, seed};
  return config;
}

double sum_at(const RunConfig& config, int64_t step) {
  LiveRun run{RunSpec(config)};
  run.trainer().evaluate();
  if (step > 0) run.trainer().advance(step);
  double sum = 0;
  for (const float weight : run.trainer().parameters()) sum += static_cast<double>(weight);
  return sum;
}

HistoryOfRun history_of(RecordResult& result, int place) {
  HistoryOfRun run{&result.history, {}, place};
  for (Series& one : result.recording.series) run.series.push_back(&one);
  return run;
}

TEST(WeightFunction, PlansWithoutOneHaveNone) {
  EXPECT_FALSE(has_functions({{{"loss"}, {}}}));
  EXPECT_TRUE(has_functions(observing(std::make_shared<SumOfWeights>(), 10)));
}

TEST(WeightFunction, ARunKeepsItsWeightsAtTheStepsWhereOneIsDue) {
  const RunSpec spec(run_of(1));
  const RecordResult result = record_run(spec, observing(std::make_shared<SumOfWeights>(), 8));
  EXPECT_EQ(result.history.steps, (std::vector<int64_t>{0, 8, 16, 20}));
  EXPECT_EQ(result.history.weights.size(), 4 * spec.parameter_count());
  EXPECT_EQ(result.history.bytes(), sizeof(float) * result.history.weights.size());
}

TEST(WeightFunction, EachRunGetsTheValuesOfItsOwnWeights) {
  const auto function = std::make_shared<SumOfWeights>();
  const ObservePlan plan = observing(function, 10);
  std::vector<RecordResult> results;
  for (const int64_t seed : {1, 3}) results.push_back(record_run(RunSpec(run_of(seed)), plan));
  measure_histories(RunSpec(run_of(1)), plan, {history_of(results[0], 0), history_of(results[1], 2)});
  for (size_t i = 0; i < 2; ++i) {
    const Series& series = *results[i].recording.find("sum");
    ASSERT_EQ(series.steps, (std::vector<int64_t>{0, 10, 20}));
    ASSERT_EQ(series.values.size(), 6U);
    for (size_t at = 0; at < 3; ++at) {
      EXPECT_EQ(series.values[2 * at], sum_at(run_of(i == 0 ? 1 : 3), series.steps[at])) << i << " " << at;
      EXPECT_EQ(series.values[2 * at + 1], i == 0 ? 0 : 2);
    }
  }
  // Once for each step, and always so many rows: what is measured of a run does not depend on the others.
  EXPECT_EQ(function->asked, (std::vector<std::pair<int64_t, size_t>>{{0, 16}, {10, 16}, {20, 16}}));
}

TEST(WeightFunction, RunsThatEndedEarlyLeaveTheirRowToOthers) {
  const auto function = std::make_shared<SumOfWeights>();
  const ObservePlan plan = observing(function, 10);
  RecordResult longer = record_run(RunSpec(run_of(1)), plan), shorter = record_run(RunSpec(run_of(2)), plan);
  shorter.history.steps.pop_back();
  shorter.history.weights.resize(shorter.history.weights.size() / 3 * 2);
  for (Series& one : shorter.recording.series) {
    one.values.resize(one.values.size() - one.block());
    one.steps.pop_back();
  }
  measure_histories(RunSpec(run_of(1)), plan, {history_of(longer, 0), history_of(shorter, 1)});
  EXPECT_EQ(longer.recording.find("sum")->values[4], sum_at(run_of(1), 20));
  EXPECT_EQ(shorter.recording.find("sum")->values[2], sum_at(run_of(2), 10));
  EXPECT_EQ(shorter.recording.find("sum")->values.size(), 4U);
}

TEST(WeightFunction, SeedsHaveTheirPlaceWhateverElseIsThere) {
  EXPECT_EQ(group_of({1, 1}, 16), 0);
  EXPECT_EQ(group_of({16, 16}, 16), 0);
  EXPECT_EQ(group_of({17, 17}, 16), 1);
  EXPECT_EQ(place_of({1, 1}, 16), 0);
  EXPECT_EQ(place_of({17, 17}, 16), 0);
  EXPECT_EQ(place_of({20, 20}, 16), 3);
  EXPECT_EQ(place_of({1, 20}, 16), 3);  // the larger of the two
  EXPECT_EQ(place_of({0, 0}, 16), 0);
}

// So many that their histories stay below the limit together.
TEST(WeightFunction, LongHistoriesHaveFewerRows) {
  RunConfig config = run_of(1);
  EXPECT_EQ(rows_together(RunSpec(config), observing(std::make_shared<SumOfWeights>(), 10)), 16);
  config.training.steps = 1'000'000;
  const RunSpec spec(config);
  for (const int64_t every : {1, 5, 10, 20}) {
    const ObservePlan plan = observing(std::make_shared<SumOfWeights>(), every);
    const size_t one = sizeof(float) * spec.parameter_count() * static_cast<size_t>(1'000'000 / every + 1);
    const int rows = rows_together(spec, plan);
    ASSERT_GE(rows, 1);
    if (rows > 1) {
      EXPECT_LE(static_cast<size_t>(rows) * one, kHistoryBytes);
    }
    if (rows < 16) {
      EXPECT_GT(static_cast<size_t>(rows + 1) * one, kHistoryBytes);
    }
  }
}

}  // namespace
}  // namespace atto
