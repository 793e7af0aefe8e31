#include "theory/scores_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "emergence_run.h"
#include "kernels/simd/target.h"
#include "theory/gradient_flow.h"

namespace atto {
namespace {

RunConfig toy_run() {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 12;
  config.data.dimension = 6;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = "sgd";
  config.training.gradient = GradientKind::expected;
  config.training.rate = 1;
  config.training.steps = 400;
  config.training.batch = 8;
  return config;
}

EmergenceMeasures after(const RunConfig& config, int64_t steps) {
  EmergenceRun run(config);
  for (int64_t i = 0; i < steps; ++i) {
    run.evaluate();
    run.update();
  }
  return run.measures();
}

TEST(ScoresModel, StartsWithUniformAttentionAndNothingLearnt) {
  const EmergenceMeasures start = after(toy_run(), 0);
  EXPECT_NEAR(start.expected_loss, 0.5, 1e-6);
  EXPECT_NEAR(start.test_loss, 0.5, 1e-6);
  EXPECT_NEAR(start.relevant, 1.0 / 12, 1e-12);
  EXPECT_NEAR(start.entropy, std::log(12.0), 1e-12);
  EXPECT_EQ(start.norm, 0);
  const EmergenceRun run(toy_run());
  for (const float one : run.trainer().parameters())
    EXPECT_FALSE(std::signbit(one)) << "no draw times 0, which may be -0";
}

// From 0 the exact gradient keeps W along W*: two numbers, w and Δa, tell the whole story.
TEST(ScoresModel, ExpectedDescentStaysOnTheReducedManifold) {
  const EmergenceMeasures late = after(toy_run(), 120);
  EXPECT_GT(late.projection, 0.5);
  EXPECT_NEAR(late.projection, late.norm, 1e-5 * late.norm);
  const double s = late.relevant, N = 6.0 * 11, w = late.projection;
  EXPECT_NEAR(late.expected_loss, 0.5 * ((1 - s) * (1 - s) * w * w / N + std::pow(s * w - std::sqrt(6.0), 2) / 6),
              1e-6);
  EXPECT_NEAR(s, 1 / (11 * std::exp(-late.gap) + 1), 1e-6);
}

// The network has a score for each position. Small steps of the exact gradient follow the flow with free scores,
// however many copies there are; the published flow, in which copies share one, runs ahead.
TEST(ScoresModel, ExpectedDescentFollowsTheFlowWithFreeScores) {
  for (const int64_t copies : {1, 2, 4}) {
    RunConfig config = toy_run();
    config.data.repeat = copies;
    config.training.rate = 0.02;
    const Regression problem{12, 6, copies, 0};
    const double when = *crossing(problem, 0.5, LossKind::train, GradientFlow::kHorizon, Scores::free);
    EXPECT_NEAR(after(config, std::lround(when / config.training.rate)).expected_loss, 0.25, 0.002) << copies;
    if (copies == 4) {
      EXPECT_LT(*crossing(problem, 0.5, LossKind::train), 0.8 * when);
    }
  }
}

TEST(ScoresModel, LearnsByEveryMethod) {
  for (const char* optimizer : {"sgd", "adam"}) {
    for (const char* gradient : {"expected", "sampled"}) {
      for (const double cross : {0.0, 0.3}) {
        RunConfig config = toy_run();
        config.training.optimizer = optimizer;
        config.training.gradient = from_word<GradientKind>(gradient);
        config.training.rate = std::string(optimizer) == "adam" ? 0.02 : 1;
        config.data.cross = cross;
        config.data.repeat = 2;
        const EmergenceMeasures end = after(config, 600);
        EXPECT_LT(end.test_loss, 0.05) << optimizer << " " << gradient << " " << cross;
        EXPECT_GT(end.relevant, 0.7);
      }
    }
  }
}

TEST(ScoresModel, IsTheSameOnEveryTarget) {
  RunConfig config = toy_run();
  config.training.gradient = GradientKind::sampled;
  config.data.cross = 0.2;
  std::vector<double> losses;
  for (const std::string& name : supported_targets()) {
    pin_target(name);
    losses.push_back(after(config, 50).expected_loss);
  }
  pin_target("");
  for (const double loss : losses) EXPECT_EQ(loss, losses.front());
}

TEST(ScoresModel, StopsOnItsLoss) {
  RunConfig config = toy_run();
  config.training.stop_loss = 0.1;
  config.training.stop_hold = 1;
  EmergenceRun run(config);
  while (true) {
    const double loss = run.evaluate().loss;
    if (run.should_stop()) {
      EXPECT_LE(loss, 0.1);
      break;
    }
    EXPECT_GT(loss, 0.1);
    ASSERT_LT(run.step(), 400);
    run.update();
  }
}

TEST(ScoresModel, RefusesWhatItCannotCombine) {
  const auto refused = [](auto change) {
    RunConfig config = toy_run();
    change(config);
    EXPECT_THROW(RunSpec{config}, Error);
  };
  refused([](RunConfig& config) { config.network.form = Form::attention; });
  refused([](RunConfig& config) { config.data.task = "copy"; });
  refused([](RunConfig& config) { config.training.frequency_rate = 1; });
  refused([](RunConfig& config) { config.data.repeat = 12; });
  refused([](RunConfig& config) { config.data.places = Places::fixed; });
  refused([](RunConfig& config) { config.data.flag = false; });
  refused([](RunConfig& config) { config.data.schedule = DiversityKind::plateau; });
}

TEST(ScoresModel, ChecksAHugeRunWithoutItsMemory) {
  RunConfig config = toy_run();
  config.data.dimension = 100000;
  config.data.context = 1000000;
  EXPECT_GT(RunSpec(config).memory().total, size_t{100} << 30);
}

}  // namespace
}  // namespace atto
