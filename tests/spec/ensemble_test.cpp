#include "spec/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "data/block_source.h"

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

// The thread that serves trains, too; others find it there for as long as they are at work.
TEST(Ensemble, ServesWhileItTrains) {
  Ensemble serving(small_config(), seeds(7), 3), plain(small_config(), seeds(7), 1);
  const std::thread::id caller = std::this_thread::get_id();
  int64_t between = 0;
  bool elsewhere = false;
  for (const int64_t steps : {1, 10, 301}) {
    serving.advance_serving(steps, nullptr, [&](bool idle) {
      if (!idle) ++between;
      if (std::this_thread::get_id() != caller) elsewhere = true;
    });
    plain.advance(steps);
    for (size_t run = 0; run < 7; ++run) EXPECT_EQ(parameters_of(serving, run), parameters_of(plain, run));
  }
  EXPECT_GT(between, 0);
  EXPECT_FALSE(elsewhere);
}

// A run that waits for the caller gets its answer, although the caller itself has failed meanwhile.
TEST(Ensemble, ServesOthersAlsoAfterAFailureOfItsOwn) {
  class Source : public BlockSource, public BlockReader {
   public:
    PartIdentity identity() const override { return {"f", "", "h"}; }
    std::unique_ptr<BlockReader> reader(const DataConfig&, const BatchShape&) const override {
      auto one = std::make_unique<Source>();
      one->caller = caller, one->asked = asked;
      return one;
    }
    std::future<Block> ask(const BlockRequest& request, Block) override {
      if (std::this_thread::get_id() == caller) throw std::runtime_error("the caller fails");
      std::promise<Block> made;
      std::future<Block> block = made.get_future();
      ++*asked;
      while (*asked > 0) std::this_thread::yield();  // until the caller has answered
      const auto rows = static_cast<size_t>(request.rows);
      made.set_value({std::vector<int32_t>(2 * rows, 1), std::vector<int32_t>(rows, 1)});
      return block;
    }
    std::thread::id caller;
    std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);
  };
  auto source = std::make_shared<Source>();
  source->caller = std::this_thread::get_id();
  RunConfig config = small_config();
  config.data.task = "function";
  config.data.context = 2;
  config.data.function = "f";
  config.data.function_hash = "h";
  config.data.source = source;
  Ensemble ensemble(config, seeds(2), 2);
  EXPECT_THROW(ensemble.advance_serving(5, nullptr, [&](bool) { *source->asked = 0; }), std::runtime_error);
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
