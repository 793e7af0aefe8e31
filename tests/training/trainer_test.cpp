// One run: when it stops, what its seeds decide, and that a snapshot continues it bit for bit.
#include "network_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/fields.h"

namespace atto {
namespace {

RunConfig small_run() {
  RunConfig config;
  config.data.vocab = 6;
  config.data.context = 3;
  config.training.batch = 24;
  config.training.rate = 0.02;
  config.training.steps = 40;
  return config;
}

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

std::vector<BatchResult> results(const RunConfig& config) {
  NetworkRun trainer(config);
  std::vector<BatchResult> all;
  for (int64_t step = 0; step < config.training.steps; ++step) {
    all.push_back(trainer.evaluate());
    trainer.update();
  }
  return all;
}
std::vector<double> losses(const RunConfig& config) {
  std::vector<double> all;
  for (const BatchResult& result : results(config)) all.push_back(result.loss);
  return all;
}

// The step at which `loss` has been at most `threshold` for `hold` steps on end; -1: never.
int64_t expected_stop(const std::vector<double>& loss, double threshold, int64_t hold) {
  int64_t calm = 0;
  for (size_t step = 0; step < loss.size(); ++step) {
    calm = loss[step] <= threshold ? calm + 1 : 0;
    if (calm == hold) return static_cast<int64_t>(step);
  }
  return -1;
}

// Trains until the stop condition holds or the steps are done; -1: never.
int64_t actual_stop(NetworkRun& trainer) {
  while (trainer.step() < trainer.config().training.steps) {
    trainer.evaluate();
    if (trainer.should_stop()) return trainer.step();
    trainer.update();
  }
  return -1;
}

TEST(Trainer, StartsAtStepZeroWithAFlatGuess) {
  RunConfig config = small_run();
  config.network.init_scale = 0;
  NetworkRun trainer(config);
  EXPECT_EQ(trainer.step(), 0);
  EXPECT_NEAR(trainer.evaluate().loss, std::log(6), 1e-6);
}

TEST(Trainer, LearnsToCopy) {
  RunConfig config = small_run();
  config.data.vocab = 3;
  config.network.width = 8;
  config.training.steps = 300;
  const auto loss = losses(config);
  EXPECT_NEAR(loss.front(), std::log(3), 0.3);
  EXPECT_LT(loss.back(), 0.05);
}

TEST(Trainer, EvaluateIsRepeatableAndUpdatesNothing) {
  NetworkRun trainer(small_run());
  const auto start = copy(trainer.parameters());
  const BatchResult first = trainer.evaluate();
  const auto gradients = copy(trainer.gradients());
  const BatchResult second = trainer.evaluate();
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.accuracy, second.accuracy);
  EXPECT_EQ(gradients, copy(trainer.gradients()));
  EXPECT_EQ(start, copy(trainer.parameters()));
  EXPECT_EQ(trainer.step(), 0);
  trainer.update();
  EXPECT_NE(start, copy(trainer.parameters()));
  EXPECT_EQ(trainer.step(), 1);
}

TEST(Trainer, StopsWhenTheLossHasHeldLongEnough) {
  const RunConfig base = small_run();
  const std::vector<double> loss = losses(base);
  int stopped = 0, interrupted = 0;
  for (const double threshold : {loss[0], loss[8], loss[15], loss[25], 0.0, 100.0}) {
    for (const int64_t hold : {1, 2, 5}) {
      RunConfig config = base;
      config.training.stop_loss = threshold;
      config.training.stop_hold = hold;
      NetworkRun trainer(config);
      const int64_t expected = expected_stop(loss, threshold, hold);
      EXPECT_EQ(actual_stop(trainer), expected) << "at most " << threshold << " for " << hold << " steps";
      stopped += expected >= 0;
      interrupted += expected > expected_stop(loss, threshold, 1) + hold - 1;
    }
  }
  EXPECT_GT(stopped, 3);
  EXPECT_GT(interrupted, 0) << "no case in which the loss rises again while it is watched";
}

TEST(Trainer, AdvancingIsStepByStep) {
  const std::vector<BatchResult> expected = results(small_run());
  NetworkRun trainer(small_run());
  trainer.evaluate();
  for (const int64_t to : {1, 2, 17, 39}) {
    const BatchResult result = trainer.advance(to);
    EXPECT_EQ(result.loss, expected[static_cast<size_t>(to)].loss);
    EXPECT_EQ(result.accuracy, expected[static_cast<size_t>(to)].accuracy);
    EXPECT_EQ(trainer.step(), to);
  }
  EXPECT_GT(expected[39].accuracy, 0);
  const double past = trainer.advance(39).accuracy;  // at least one step
  EXPECT_EQ(trainer.step(), 40);
  EXPECT_EQ(past, trainer.evaluate().accuracy);
}

TEST(Trainer, AdvancingEndsWhereTheRunShouldStopOrDiverges) {
  RunConfig config = small_run();
  const std::vector<double> loss = losses(config);
  const std::vector<BatchResult> expected = results(config);
  config.training.stop_loss = loss[25];
  config.training.stop_hold = 2;
  NetworkRun calm(config);
  calm.evaluate();
  const BatchResult last = calm.advance(config.training.steps);
  EXPECT_EQ(calm.step(), expected_stop(loss, loss[25], 2));
  EXPECT_EQ(last.loss, expected[static_cast<size_t>(calm.step())].loss);
  EXPECT_EQ(last.accuracy, expected[static_cast<size_t>(calm.step())].accuracy) << "counted though nobody knew it ends";

  config = small_run();
  config.training.optimizer = "sgd";
  config.training.rate = 1e30;
  NetworkRun wild(config);
  wild.evaluate();
  EXPECT_FALSE(std::isfinite(wild.advance(config.training.steps).loss));
  EXPECT_GT(wild.step(), 0);
  EXPECT_LT(wild.step(), config.training.steps);
}

TEST(Trainer, NeverStopsByANegativeLoss) {
  RunConfig config = small_run();
  config.training.stop_loss = -1;
  config.training.stop_hold = 1;
  NetworkRun trainer(config);
  EXPECT_EQ(actual_stop(trainer), -1);
}

TEST(Trainer, SeedsOfWeightsAndDataActSeparately) {
  const RunConfig config = small_run();
  RunConfig other_init = config, other_data = config;
  other_init.seeds.init = 2;
  other_data.seeds.data = 2;
  NetworkRun a(config), b(other_init), c(other_data);
  EXPECT_NE(copy(a.parameters()), copy(b.parameters()));
  EXPECT_EQ(copy(a.parameters()), copy(c.parameters())) << "the data's seed must not touch the weights";
  const double loss = a.evaluate().loss;
  EXPECT_NE(loss, c.evaluate().loss);
  // Under the weights of `a`, `b` must see the batch that `a` saw: its own seed decides the weights alone.
  b.restore(a.snapshot());
  EXPECT_EQ(b.evaluate().loss, loss);
}

TEST(Trainer, BatchesOfDifferentStepsDiffer) {
  RunConfig config = small_run();
  config.training.rate = 0;
  const auto loss = losses(config);
  for (size_t step = 1; step < loss.size(); ++step) EXPECT_NE(loss[step], loss[0]) << step;
}

struct Learner {
  std::string optimizer;
  double momentum, beta1;
};
class Snapshots : public testing::TestWithParam<Learner> {
 protected:
  RunConfig config() const {
    RunConfig config = small_run();
    config.training.optimizer = GetParam().optimizer;
    config.training.momentum = GetParam().momentum;
    config.training.beta1 = GetParam().beta1;
    config.training.schedule = RateSchedule::cosine;
    config.training.warmup = 4;
    config.training.steps = 20;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Optimizer, Snapshots,
                         testing::Values(Learner{"adam", 0, 0.9}, Learner{"adam", 0, 0}, Learner{"sgd", 0, 0.9},
                                         Learner{"sgd", 0.9, 0.9}),
                         [](const auto& one) {
                           return one.param.optimizer + (one.param.momentum > 0 ? "_momentum" : "") +
                                  (one.param.beta1 == 0 ? "_memoryless" : "");
                         });

TEST_P(Snapshots, ContinueBitForBitFromAnyStep) {
  NetworkRun whole(config());
  std::vector<Snapshot> before;
  std::vector<double> loss;
  while (whole.step() < 20) {
    before.push_back(whole.snapshot());
    loss.push_back(whole.evaluate().loss);
    whole.update();
  }
  for (const Snapshot& snapshot : before) {
    NetworkRun resumed(config());
    resumed.restore(snapshot);
    EXPECT_EQ(resumed.step(), snapshot.step);
    while (resumed.step() < 20) {
      ASSERT_EQ(resumed.evaluate().loss, loss[resumed.step()]) << "from " << snapshot.step;
      resumed.update();
    }
    EXPECT_EQ(resumed.snapshot().parameters, whole.snapshot().parameters) << "from " << snapshot.step;
    EXPECT_EQ(resumed.snapshot().optimizer, whole.snapshot().optimizer) << "from " << snapshot.step;
  }
}

TEST_P(Snapshots, ATrainerThatHasMovedOnCanGoBack) {
  NetworkRun trainer(config());
  const Snapshot start = trainer.snapshot();
  const double first = trainer.evaluate().loss;
  for (int i = 0; i < 5; ++i) trainer.evaluate(), trainer.update();
  const Snapshot later = trainer.snapshot();
  trainer.restore(start);
  EXPECT_EQ(trainer.evaluate().loss, first);
  trainer.restore(later);
  EXPECT_EQ(trainer.snapshot().parameters, later.parameters);
  EXPECT_EQ(trainer.snapshot().optimizer, later.optimizer);
}

// The stop condition's count is part of the state, whether the snapshot is taken before a step's evaluation or after.
TEST(SnapshotsOfTheStopCondition, StopAtTheSameStep) {
  RunConfig config = small_run();
  config.training.stop_loss = 100;
  config.training.stop_hold = 8;
  for (const bool evaluated : {false, true}) {
    for (int64_t at = 0; at < 7; ++at) {
      NetworkRun trainer(config);
      while (trainer.step() < at) trainer.evaluate(), trainer.update();
      if (evaluated) trainer.evaluate();
      NetworkRun resumed(config);
      resumed.restore(trainer.snapshot());
      EXPECT_EQ(actual_stop(resumed), 7) << "snapshot at step " << at << (evaluated ? " after" : " before")
                                         << " its evaluation";
    }
  }
}

TEST(RunConfigCheck, AWarmUpLongerThanTheRunIsRefused) {
  RunConfig config = small_run();
  config.training.warmup = 41;
  EXPECT_THROW(RunSpec{config}, Error);
  EXPECT_THROW(NetworkRun{config}, Error);
  config.training.warmup = 40;
  EXPECT_NO_THROW(RunSpec{config});
}

TEST(RunConfigCheck, ChecksItsParts) {
  RunConfig config = small_run();
  config.data.offset = 3;
  EXPECT_THROW(RunSpec{config}, Error);
}

// What the network of free scores takes, a batch of sequences may not.
TEST(RunConfigCheck, RegressionHasTheLimitsOfItsNetwork) {
  RunConfig config;
  config.data.task = "regression";
  config.network.unembedding = Tying::free;
  EXPECT_NO_THROW(RunSpec{config});
  config.data.context = 5000;
  EXPECT_THROW(RunSpec{config}, Error);
  config.network.form = Form::scores;
  EXPECT_NO_THROW(RunSpec{config});
  config.data.context = 8;
  config.data.flag = false;
  EXPECT_THROW(RunSpec{config}, Error) << "no flags there";
  config.network.form = Form::attention;
  EXPECT_THROW(RunSpec{config}, Error) << "places are random";
  config.data.places = Places::fixed;
  EXPECT_NO_THROW(RunSpec{config});
}

TEST(RunConfigFields, StartAtTheDefaultsAndCoverEverySection) {
  RunConfig config;
  const Fields fields = Fields().all_of(config, run_schema());
  std::vector<std::string> sections;
  for (const Field& field : fields.all()) {
    EXPECT_NO_THROW(field.set(field.get())) << field.key << ": the default is not allowed";
    EXPECT_FALSE(field.help.empty()) << field.key;
    const std::string section = field.key.substr(0, field.key.find('.'));
    if (sections.empty() || sections.back() != section) sections.push_back(section);
  }
  EXPECT_EQ(sections, (std::vector<std::string>{"data", "network", "training", "seeds"}));
}

TEST(EstimateMemory, GrowsWithEverySize) {
  const RunConfig base = small_run();
  const auto larger = [&](const std::string& key, int64_t value) {
    RunConfig config = base;
    run_schema().at(key).set(config, value);
    return RunSpec(config).memory().total > RunSpec(base).memory().total;
  };
  EXPECT_TRUE(larger("data.vocab", 600));
  EXPECT_TRUE(larger("data.context", 30));
  EXPECT_TRUE(larger("network.width", 20));
}

TEST(Trainer, TestsCountRightAnswers) {
  NetworkRun run(small_run());
  const double accuracy = run.test().accuracy;
  EXPECT_GT(accuracy, 0) << "of many answers some are right by chance";
  EXPECT_LT(accuracy, 1);
}

}  // namespace
}  // namespace atto
