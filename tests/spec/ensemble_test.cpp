#include "spec/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace atto {
namespace {

RunConfig small_config() {
  RunConfig config;
  config.data.vocab = 6;
  config.training.batch = 32;
  return config;
}

std::vector<SeedConfig> seeds(int count) {
  std::vector<SeedConfig> all;
  for (int i = 1; i <= count; ++i) all.push_back({i, i});
  return all;
}

std::vector<float> parameters_of(const Ensemble& ensemble, size_t run) {
  const auto all = ensemble.parameters().subspan(run * ensemble.stride(), ensemble.spec().parameter_count());
  return {all.begin(), all.end()};
}

TEST(Ensemble, TrainsTheRunsThatItsSeedsAre) {
  Ensemble ensemble(small_config(), seeds(3), 2);
  ensemble.advance(40);
  for (size_t run = 0; run < 3; ++run) {
    RunConfig config = small_config();
    config.seeds = {static_cast<int64_t>(run) + 1, static_cast<int64_t>(run) + 1};
    LiveRun alone{RunSpec(config)};
    alone.trainer().evaluate();
    const double loss = alone.trainer().advance(40).loss;
    const auto expected = alone.trainer().parameters();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), parameters_of(ensemble, run).begin()));
    EXPECT_EQ(ensemble.evaluated(run).loss, loss);
  }
}

TEST(Ensemble, DoesNotDependOnThreadsOrPieces) {
  Ensemble whole(small_config(), seeds(3), 1), pieces(small_config(), seeds(3), 3);
  whole.advance(30);
  for (int i = 0; i < 6; ++i) pieces.advance(5);
  for (size_t run = 0; run < 3; ++run) EXPECT_EQ(parameters_of(whole, run), parameters_of(pieces, run));
  EXPECT_EQ(pieces.step(), 30);
}

// More runs than threads, so that the last ones are moved in turns, and a number that the threads do not divide.
TEST(Ensemble, DoesNotDependOnWhichThreadMovesARun) {
  Ensemble alone(small_config(), seeds(7), 1), together(small_config(), seeds(7), 3);
  for (const int64_t steps : {1, 2, 10, 301}) {
    alone.advance(steps);
    together.advance(steps);
    for (size_t run = 0; run < 7; ++run) {
      EXPECT_EQ(together.run(run).trainer().step(), alone.step());
      EXPECT_EQ(parameters_of(alone, run), parameters_of(together, run));
      EXPECT_EQ(alone.evaluated(run).loss, together.evaluated(run).loss);
      EXPECT_EQ(alone.evaluated(run).accuracy, together.evaluated(run).accuracy);
    }
  }
}

TEST(Ensemble, LooksUpMeanwhileAndStopsThen) {
  Ensemble ensemble(small_config(), seeds(4), 1);
  std::atomic<bool> stop = false;
  ensemble.advance(100'000, &stop, [&] { stop = true; });
  EXPECT_EQ(ensemble.step(), 100'000);
  EXPECT_GT(ensemble.run(0).trainer().step(), 0);
  EXPECT_LT(ensemble.run(0).trainer().step(), 1000);  // after the first piece
  EXPECT_EQ(ensemble.run(3).trainer().step(), 0);
}

TEST(Ensemble, MakesUpForWhatAStopLeft) {
  Ensemble stopped(small_config(), seeds(2), 2), whole(small_config(), seeds(2), 2);
  const std::atomic<bool> stop = true;
  stopped.advance(20, &stop);
  EXPECT_EQ(stopped.run(0).trainer().step(), 0);
  stopped.advance(0);
  whole.advance(20);
  EXPECT_EQ(parameters_of(stopped, 1), parameters_of(whole, 1));
}

TEST(Ensemble, ChangedWeightsAreEvaluatedAnew) {
  Ensemble ensemble(small_config(), seeds(1), 1);
  const double before = ensemble.evaluated(0).loss;
  for (float& weight : ensemble.change(0)) weight *= 3;
  EXPECT_NE(ensemble.evaluated(0).loss, before);
}

TEST(Ensemble, SnapshotsGoOnBitForBit) {
  Ensemble first(small_config(), seeds(1), 1), second(small_config(), seeds(1), 1);
  first.advance(10);
  second.restore(0, first.snapshot(0));
  EXPECT_EQ(second.step(), 10);
  first.advance(10);
  second.advance(10);
  EXPECT_EQ(parameters_of(first, 0), parameters_of(second, 0));
}

TEST(Ensemble, WithoutSeedsIsRefused) { EXPECT_THROW(Ensemble(small_config(), {}, 1), Error); }

}  // namespace
}  // namespace atto
