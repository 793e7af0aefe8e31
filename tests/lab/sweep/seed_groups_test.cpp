// Runs wait for the seeds that they are measured with, and for no others.
#include "lab/sweep/seed_groups.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/host_calls.h"
#include "observe/weight_functions.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's

class Failing : public SumOfWeights {
  void evaluate(const RunSpec&, std::span<const WeightMoment>, double*) const override {
    throw PartFailure("sum", "is broken", "");
  }
};

// Two cells, whose networks differ, of so many seeds each.
struct TwoCells {
  explicit TwoCells(std::shared_ptr<const WeightFunction> function, int64_t seeds)
      : plan(function ? observing(std::move(function), 10) : ObservePlan{{{"loss"}, {10, 0, 0, {}}}}) {
    for (size_t cell = 0; cell < 2; ++cell)
      for (int64_t seed = 0; seed < seeds; ++seed) {
        TrainRun run{cell, seed, {}, ""};
        run.config.data.vocab = 4 + static_cast<int64_t>(cell);
        run.config.training.batch = 8;
        run.config.training.steps = 10;
        run.config.seeds = {seed + 1, seed + 1};
        runs.push_back(run);
      }
    for (const TrainRun& run : runs) pending.push_back({&run, 0, 0});
  }
  TrainedRun train(size_t run) const { return {&runs[run], record_run(RunSpec(runs[run].config), plan), 0}; }
  ObservePlan plan;
  std::vector<TrainRun> runs;
  std::vector<PendingRun> pending;
};

TEST(SeedGroups, NothingWaitsWhereNothingFromOutsideIsObserved) {
  const TwoCells cells(nullptr, 3);
  SeedGroups groups(cells.plan, cells.pending);
  for (size_t run = 0; run < 6; ++run) {
    const auto done = groups.add(cells.train(run));
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].run, &cells.runs[run]);
  }
  EXPECT_TRUE(groups.take_waiting().empty());
}

TEST(SeedGroups, AGroupComesWithTheLastOfItsRuns) {
  const auto function = std::make_shared<SumOfWeights>();
  const TwoCells cells(function, 18);  // of 16 and of 2 runs
  SeedGroups groups(cells.plan, cells.pending);
  for (size_t run = 0; run < 15; ++run) EXPECT_TRUE(groups.add(cells.train(run)).empty());
  EXPECT_TRUE(groups.add(cells.train(16)).empty());  // the other group of the cell
  EXPECT_TRUE(groups.add(cells.train(18)).empty());  // the other cell
  EXPECT_TRUE(function->asked.empty());
  const auto first = groups.add(cells.train(15));
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(function->asked.size(), 2U);  // steps 0 and 10
  for (const TrainedRun& one : first)
    EXPECT_EQ(one.result.recording.find("sum")->values[1], static_cast<double>(one.run->seed));  // its row
  EXPECT_EQ(groups.add(cells.train(17)).size(), 2U);
  EXPECT_EQ(groups.take_waiting().size(), 1U);
}

// Those that the store has are never added: the rest does not wait for them.
TEST(SeedGroups, WaitForPendingRunsOnly) {
  TwoCells cells(std::make_shared<SumOfWeights>(), 4);
  cells.pending = {cells.pending[1], cells.pending[3]};
  SeedGroups groups(cells.plan, cells.pending);
  EXPECT_TRUE(groups.add(cells.train(3)).empty());
  const auto done = groups.add(cells.train(1));
  ASSERT_EQ(done.size(), 2U);
  for (const TrainedRun& one : done)
    EXPECT_EQ(one.result.recording.find("sum")->values[1], static_cast<double>(one.run->seed));
}

TEST(SeedGroups, WhatNobodyWillCompleteIsTakenByCellAndMeasured) {
  const auto function = std::make_shared<SumOfWeights>();
  const TwoCells cells(function, 3);
  SeedGroups groups(cells.plan, cells.pending);
  for (const size_t run : {0, 2, 4}) EXPECT_TRUE(groups.add(cells.train(run)).empty());
  auto waiting = groups.take_waiting();
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(waiting[0].first, 0U);
  EXPECT_EQ(waiting[0].second.size(), 2U);
  EXPECT_EQ(waiting[1].first, 1U);
  EXPECT_EQ(waiting[1].second.size(), 1U);
  groups.measure(waiting[1].second);
  EXPECT_EQ(waiting[1].second[0].result.recording.find("sum")->values[1], 1);
  EXPECT_TRUE(groups.take_waiting().empty());
}

TEST(SeedGroups, AFailureLosesItsGroupAndNoOther) {
  const TwoCells cells(std::make_shared<Failing>(), 2);
  SeedGroups groups(cells.plan, cells.pending);
  EXPECT_TRUE(groups.add(cells.train(0)).empty());
  EXPECT_TRUE(groups.add(cells.train(2)).empty());
  EXPECT_THROW(groups.add(cells.train(1)), PartFailure);
  const auto waiting = groups.take_waiting();
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].first, 1U);
}

}  // namespace
}  // namespace atto
