#include "theory/flow_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "emergence_run.h"

namespace atto {
namespace {

RunConfig flow_of(int64_t length, int64_t dimension, double cross = 0) {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = length;
  config.data.dimension = dimension;
  config.data.cross = cross;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = "flow";
  config.training.gradient = GradientKind::expected;
  config.training.rate = 0.25;
  config.training.steps = 4000;
  return config;
}

// The first step at which the expected loss is below 0.1.
int64_t escape(EmergenceRun& run) {
  while (run.evaluate().loss > 0.1) run.update();
  return run.step();
}

// The flow moves one score against all others; the network moves the others, too, by 1/(T - 1) as much.
TEST(FlowModel, IsDescentAtASmallRate) {
  for (const double cross : {0.0, 0.2}) {
    const RunConfig config = flow_of(400, 8, cross);
    RunConfig descent = config;
    descent.training.optimizer = "sgd";
    EmergenceRun flow(config);
    EmergenceRun network(descent);
    EXPECT_NEAR(flow.evaluate().loss, 0.5, 1e-9);
    EXPECT_NEAR(flow.measures().entropy, std::log(400.0), 1e-9);
    const auto predicted = static_cast<double>(escape(flow)), found = static_cast<double>(escape(network));
    EXPECT_NEAR(found, predicted, 0.003 * predicted) << "cross " << cross;
    EXPECT_NEAR(network.measures().projection, flow.measures().projection, 0.01);
    EXPECT_NEAR(network.measures().repeated, flow.measures().repeated, 0.01);
  }
}

// Both begin where network.weight_start and gap_start say; from the wrong side of W* it takes longer.
TEST(FlowModel, StartsElsewhereAsTheNetworkDoes) {
  int64_t last = 100000;
  for (const auto& [weight, gap] : {std::pair{-1.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}}) {
    for (const double cross : {0.0, 0.2}) {
      RunConfig config = flow_of(200, 8, cross);
      config.training.rate = 0.5;
      config.network.weight_start = weight;
      config.network.gap_start = gap;
      RunConfig descent = config;
      descent.training.optimizer = "sgd";
      EmergenceRun flow(config), network(descent);
      flow.evaluate();
      network.evaluate();
      EXPECT_NEAR(network.measures().projection, flow.measures().projection, 1e-6);
      EXPECT_NEAR(network.measures().repeated, flow.measures().repeated, 1e-6);
      EXPECT_NEAR(network.measures().gap, gap, 1e-6);
      EXPECT_NEAR(flow.measures().gap, gap, 1e-12);
      const auto predicted = static_cast<double>(escape(flow)), found = static_cast<double>(escape(network));
      EXPECT_NEAR(found, predicted, 0.015 * predicted) << weight << " " << gap << " " << cross;
      if (cross > 0) continue;
      EXPECT_LT(flow.step(), last);
      last = flow.step();
    }
  }
}

// An earlier step is computed anew, from the same start.
TEST(FlowModel, BeginsAnewAtItsStart) {
  FlowModel model({64, 16, 1, 0}, 1, {{0.5, 0}, 0.3});
  const double early = model.gradient(10, {}, {}, false).loss;
  model.gradient(200, {}, {}, false);
  EXPECT_EQ(model.gradient(10, {}, {}, false).loss, early);
}

TEST(FlowModel, TimeIsStepsTimesRate) {
  RunConfig coarse = flow_of(64, 16);
  coarse.training.rate = 5;
  EmergenceRun one(flow_of(64, 16)), other(coarse);
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

// Settings that would do nothing are refused rather than ignored.
TEST(FlowModel, RefusesWhatItDoesNotKnow) {
  const auto refused = [](auto change) {
    RunConfig config = flow_of(16, 4);
    change(config);
    EXPECT_THROW(RunSpec{config}, Error);
  };
  refused([](RunConfig& config) { config.network.init_scale = 1; });
  refused([](RunConfig& config) { config.training.gradient = GradientKind::sampled; });
  refused([](RunConfig& config) { config.training.momentum = 0.9; });
  refused([](RunConfig& config) { config.training.warmup = 10; });
  refused([](RunConfig& config) { config.training.schedule = RateSchedule::cosine; });
}

TEST(FlowModel, IsAskedForLikeAnyRun) {
  const RunSpec spec(flow_of(16, 4));
  ASSERT_NE(spec.emergence(), nullptr);
  EXPECT_TRUE(spec.emergence()->flow);
  EXPECT_NE(dynamic_cast<const FlowModel*>(LiveRun(spec).emergence()), nullptr);
  EXPECT_LT(RunSpec(flow_of(1000000, 100000)).memory().total, size_t{1} << 20);
}

}  // namespace
}  // namespace atto
