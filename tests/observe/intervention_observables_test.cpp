// When interventions begin, as recorded; and that a run resumed in the middle of one records the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "observe/observable.h"
#include "observe/recorder.h"

namespace atto::intervention_observables_test {
namespace {

RunConfig frozen_when_flat() {
  RunConfig config;
  config.data.vocab = 6;
  config.data.context = 3;
  config.training.batch = 32;
  config.training.rate = 0.02;
  config.training.steps = 640;
  config.training.embedding_noise = 0.05;
  config.training.interventions = {{.from_flat = 0.02, .lasting = 100, .smooth = 40, .freeze = {"layer.*.query"}},
                                   {.from = 128, .until = 300, .embedding_noise = 0.2}};
  return config;
}

const ObservePlan kPlan{
    {{"loss", "intervention.0.step", "intervention.0.active", "intervention.1.step", "intervention.1.active"},
     {32, 0, 0, {}}}};

const Series& series_of(const Recording& recording, const std::string& address) {
  for (const Series& one : recording.series)
    if (one.address == address) return one;
  throw std::runtime_error(address);
}

TEST(InterventionObservables, SayWhenAndWhether) {
  const Recording recording = record_run(RunSpec(frozen_when_flat()), kPlan).recording;
  const Series& step = series_of(recording, "intervention.1.step");
  const Series& active = series_of(recording, "intervention.1.active");
  for (size_t i = 0; i < step.steps.size(); ++i) {
    const int64_t at = step.steps[i];
    if (at < 128) {
      EXPECT_TRUE(std::isnan(step.values[i])) << at;
    } else {
      EXPECT_EQ(step.values[i], 128) << at;
    }
    EXPECT_EQ(active.values[i], at >= 128 && at < 300 ? 1 : 0) << at;
  }
  const double began = series_of(recording, "intervention.0.step").values.back();
  EXPECT_GE(began, 80) << "two means";
  EXPECT_EQ(std::fmod(began, 40), 0);
}

TEST(InterventionObservables, AreOfferedForEachOfTheRun) {
  RunConfig config = frozen_when_flat();
  const auto count = [](const RunConfig& of) {
    const auto offers = all_observables(RunSpec(of));
    return std::ranges::count_if(offers,
                                 [](const Observable& one) { return one.address.starts_with("intervention."); });
  };
  EXPECT_EQ(count(config), 4);
  config.training.interventions.clear();
  EXPECT_EQ(count(config), 0);
  RunConfig scores;
  scores.data.task = "regression";
  scores.network.form = Form::scores;
  scores.training.interventions = {{.from = 10, .freeze = {"a"}}};
  EXPECT_EQ(count(scores), 2);
  const Recording recording = record_run(RunSpec(scores), {{{"intervention.0.step"}, {0, 2, 0, {}}}}).recording;
  EXPECT_EQ(recording.series[0].values.back(), 10);
}

// From every checkpoint a run leaves.
TEST(InterventionCheckpoints, GiveTheSameRecord) {
  const RunSpec spec(frozen_when_flat());
  std::vector<Checkpoint> checkpoints;
  const Recording whole = record_run(spec, kPlan, [&](const StepReport& report) {
                            checkpoints.push_back(report.checkpoint());
                            return true;
                          }).recording;
  ASSERT_GE(checkpoints.size(), 9u);
  for (Checkpoint& checkpoint : checkpoints) {
    const int64_t step = checkpoint.snapshot.step;
    const Recording resumed = record_run(spec, kPlan, {}, std::move(checkpoint)).recording;
    ASSERT_EQ(resumed.series.size(), whole.series.size());
    for (size_t i = 0; i < whole.series.size(); ++i) {
      const auto& a = whole.series[i].values;
      const auto& b = resumed.series[i].values;
      ASSERT_EQ(a.size(), b.size());
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
          << whole.series[i].address << " from " << step;
    }
    for (size_t i = 0; i < whole.weights.size(); ++i) EXPECT_EQ(whole.weights[i].values, resumed.weights[i].values);
  }
}

}  // namespace
}  // namespace atto::intervention_observables_test
