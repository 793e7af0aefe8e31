#include "training/flow_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/scores_trainer.h"

namespace atto {
namespace {

RunConfig flow_of(int64_t length, int64_t dimension, double cross = 0) {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = length;
  config.data.dimension = dimension;
  config.data.cross = cross;
  config.network.form = "scores";
  config.network.init_scale = 0;
  config.training.optimizer = "flow";
  config.training.gradient = "expected";
  config.training.rate = 0.25;
  config.training.steps = 4000;
  return config;
}

TEST(FlowRun, IsDescentAtASmallRate) {
  for (const double cross : {0.0, 0.2}) {
    const RunConfig config = flow_of(40, 8, cross);
    RunConfig descent = config;
    descent.training.optimizer = "sgd";
    FlowRun flow(config);
    ScoresTrainer network(descent);
    double largest = 0;
    for (int64_t step = 0; step < 2000; ++step) {
      flow.evaluate();
      network.evaluate();
      const EmergenceMeasures a = flow.measures(), b = network.measures();
      largest = std::max(largest, std::abs(a.expected_loss - b.expected_loss));
      if (step == 0) {
        EXPECT_NEAR(a.expected_loss, 0.5, 1e-9);
        EXPECT_NEAR(a.entropy, std::log(40.0), 1e-9);
      }
      flow.update();
      network.update();
    }
    // The flow moves one score against all others; the network moves the others, too, by 1/(T - 1) as much.
    EXPECT_LT(largest, 0.02) << "cross " << cross;
    EXPECT_LT(flow.measures().test_loss, 0.02);
  }
}

TEST(FlowRun, TimeIsStepsTimesRate) {
  RunConfig coarse = flow_of(64, 16);
  coarse.training.rate = 5;
  FlowRun one(flow_of(64, 16)), other(coarse);
  for (int64_t step = 0; step <= 400; ++step) {
    one.evaluate();
    if (step % 20 == 0) {
      other.evaluate();
      EXPECT_NEAR(one.measures().projection, other.measures().projection, 1e-9);
      other.update();
    }
    one.update();
  }
}

TEST(FlowRun, IsAskedForLikeAnyRun) {
  const auto run = make_trajectory(flow_of(16, 4));
  EXPECT_NE(dynamic_cast<const FlowRun*>(run.get()), nullptr);
  EXPECT_LT(estimate_memory(flow_of(1000000, 100000)), size_t{1} << 20);
}

}  // namespace
}  // namespace atto
