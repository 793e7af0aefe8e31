// Training on sets that stay the same: what a step descends, and what the test data are.
#include "data/data_sets.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "network_run.h"

namespace atto::data_sets_test {
namespace {

RunConfig set_run(GradientKind gradient) {
  RunConfig config;
  config.data.vocab = 6;
  config.data.context = 3;
  config.network.width = 3;
  config.training.gradient = gradient;
  config.training.rate = 0.02;
  config.training.batch = 40;
  config.training.steps = 200;
  return config;
}

// Mean loss over a set, one tile at a time, by a network of its own workspace.
double mean_loss(const NetworkRun& run, const SequenceSet& set) {
  Workspace work = run.network().make_workspace(16);
  work.sums = {};
  for (int64_t first = 0; first < set.size(); first += 16) {
    work.batch().samples = static_cast<int>(std::min<int64_t>(16, set.size() - first));
    set.fill(first, work.batch());
    run.network().loss(run.parameters().data(), work);
  }
  return work.sums.loss / static_cast<double>(set.size() * run.task().asked());
}

DataSets sets_of(const NetworkRun& run) {
  return make_sets(run.config().data, run.task(), true, false, static_cast<uint64_t>(run.config().seeds.data));
}

TEST(TrainingOnASet, DescendsAllOfItWhereTheGradientIsExpected) {
  for (const bool split : {false, true}) {
    RunConfig config = set_run(GradientKind::expected);
    if (split) config.data.split = 0.5;
    else config.data.size = 100;
    NetworkRun run(config);
    run.evaluate();
    run.advance(20);
    const DataSets sets = sets_of(run);
    EXPECT_NEAR(run.evaluate().loss, mean_loss(run, *sets.train), 1e-6);
    if (split) {
      EXPECT_NEAR(run.test().loss, mean_loss(run, *sets.test), 1e-6);
    }
  }
}

// An epoch of batches has the same mean gradient as the whole set at once.
TEST(TrainingOnASet, AnEpochOfBatchesIsTheWholeSet) {
  for (const bool split : {false, true}) {
    RunConfig config = set_run(GradientKind::sampled);
    if (split) config.data.split = 120.0 / 216;
    else config.data.size = 120;
    config.training.rate = 0;
    NetworkRun sampled(config);
    config.training.gradient = GradientKind::expected;
    NetworkRun expected(config);
    const double loss = expected.evaluate().loss;
    for (int epoch = 0; epoch < 2; ++epoch) {
      double mean = 0;
      std::vector<double> gradient(sampled.gradients().size());
      for (int step = 0; step < 3; ++step) {
        mean += sampled.evaluate().loss / 3;
        for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += sampled.gradients()[i] / 3.0;
        sampled.update();
      }
      EXPECT_NEAR(mean, loss, 1e-6);
      for (size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], expected.gradients()[i], 1e-6);
    }
  }
}

// Few sequences are learnt by heart: the loss on them falls far below that on others.
TEST(TrainingOnASet, ShowsInTheGap) {
  RunConfig config = set_run(GradientKind::sampled);
  config.data.task = "unigram";
  config.data.vocab = 20;
  config.data.context = 4;
  config.data.size = 40;
  config.network.width = 16;
  config.network.unembedding = Tying::free;
  config.training.steps = 600;
  NetworkRun run(config);
  run.evaluate();
  const BatchResult trained = run.advance(600), tested = run.test();
  EXPECT_LT(trained.loss, *run.best_loss() - 0.5) << "below what any predictor reaches on fresh data";
  EXPECT_GT(tested.loss, *run.best_loss());
  config.data.size = 0;
  NetworkRun fresh(config);
  fresh.evaluate();
  EXPECT_GT(fresh.advance(600).loss, *run.best_loss() - 0.3);
}

TEST(TrainingOnASet, RefusesWhatCannotWork) {
  const auto refusal = [](const RunConfig& config) -> std::string {
    try {
      RunSpec spec(config);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  RunConfig large = set_run(GradientKind::expected);
  large.data.size = 5'000'000;
  EXPECT_EQ(refusal(large),
            "training.gradient = \"expected\", but data.size = 5000000 makes each step go through more than 4194304 "
            "sequences");
  large.training.gradient = GradientKind::sampled;
  EXPECT_EQ(refusal(large), "accepted");
  RunConfig scores;
  scores.data.task = "regression";
  scores.network.form = Form::scores;
  scores.data.size = 10;
  EXPECT_EQ(refusal(scores), "data.size is set, but network.form = \"scores\" keeps no training set");
  scores.data.size = 0;
  scores.data.split = 0.5;
  EXPECT_EQ(refusal(scores), "data.split is set, but network.form = \"scores\" keeps no training set");
}

}  // namespace
}  // namespace atto::data_sets_test
