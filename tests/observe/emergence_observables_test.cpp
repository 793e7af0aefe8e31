// What the theory of emergence speaks of, as recorded from a flow and from the network.
#include <gtest/gtest.h>

#include <cmath>

#include "observe/observable.h"
#include "observe/recorder.h"
#include "theory/reduced_loss.h"

namespace atto {
namespace {

RunConfig emergence_run(const char* optimizer, double cross) {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 32;
  config.data.dimension = 9;
  config.data.cross = cross;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = optimizer;
  config.training.gradient = GradientKind::expected;
  config.training.rate = 1;
  config.training.steps = 600;
  return config;
}

double last(const Recording& recording, const char* address) { return recording.find(address)->values.back(); }

TEST(EmergenceObservables, AreOfferedForBothKindsOfRun) {
  for (const char* optimizer : {"flow", "sgd"}) {
    for (const double cross : {0.0, 0.2}) {
      const RunConfig config = emergence_run(optimizer, cross);
      ObservePlan plan(1);
      for (const Observable& known : all_observables(RunSpec(config))) plan[0].what.push_back(known.address);
      const RecordResult result = record_run(RunSpec(config), plan);
      const Recording& recording = result.recording;
      EXPECT_EQ(recording.best_loss, 0.0);
      EXPECT_EQ(recording.find("weight.repeated") != nullptr, cross > 0);
      EXPECT_EQ(recording.find("perplexity"), nullptr);
      EXPECT_NEAR(last(recording, "weight.alignment"), 1, 0.02);
      EXPECT_NEAR(last(recording, "loss"), last(recording, "loss.expected"), 1e-6);
      EXPECT_GT(last(recording, "attention.relevant"), 0.8);
      EXPECT_NEAR(recording.find("weight.alignment")->values.front(), 0, 1e-12);

      // The curvature is that of the reduced loss at the run's own w and Δa.
      const ReducedLoss reduced(make_regression(config.data));
      ReducedState state{{last(recording, "weight.projection"), 0}, last(recording, "attention.gap")};
      if (cross > 0) state.w = {last(recording, "weight.repeated"), last(recording, "weight.projection")};
      const auto eigenvalues = reduced.hessian_eigenvalues(state);
      EXPECT_NEAR(last(recording, "hessian.largest"), eigenvalues.back(), 1e-9);
      EXPECT_NEAR(last(recording, "hessian.smallest"), eigenvalues.front(), 1e-9);
      // Early on the linearised flow is the flow.
      const Series* linear = recording.find("linear.projection");
      const Series* whole = recording.find("weight.projection");
      EXPECT_GT(whole->values[2], 0);
      EXPECT_NEAR(linear->values[2], whole->values[2], 0.1 * whole->values[2]);
      EXPECT_GT(last(recording, "weight.share"), 0.9);
      EXPECT_LT(recording.find("hessian.smallest")->values.front(), 0) << "the start is a saddle";
    }
  }
}

TEST(EmergenceObservables, TheLandscapeHasTheFlowsLoss) {
  const RunConfig config = emergence_run("flow", 0);
  ObservePlan plan(1);
  plan[0].what = {"landscape.loss", "landscape.weight", "landscape.gap"};
  plan[0].when.at = {0};
  const RecordResult result = record_run(RunSpec(config), plan);
  const auto& weight = result.recording.find("landscape.weight")->values;
  const auto& gap = result.recording.find("landscape.gap")->values;
  const auto& loss = result.recording.find("landscape.loss")->values;
  const ReducedLoss reduced(make_regression(config.data));
  const size_t grid = 64;
  EXPECT_EQ(result.recording.find("landscape.loss")->shape, (std::vector<int64_t>{64, 64}));
  EXPECT_EQ(weight[0], 0);
  EXPECT_NEAR(weight[grid - 1], 6, 1e-12);  // twice √9
  for (const size_t i : {size_t{0}, size_t{17}, size_t{63}})
    for (const size_t j : {size_t{0}, size_t{30}, size_t{63}})
      EXPECT_DOUBLE_EQ(loss[i * grid + j], reduced.value({{weight[i], 0}, gap[j]}));
  EXPECT_NEAR(loss[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace atto
