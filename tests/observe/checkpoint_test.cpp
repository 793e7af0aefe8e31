// A run stopped anywhere and taken up again gives the record of one that was never stopped, bit for bit.
#include "observe/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/number_files.h"
#include "observe/observable.h"
#include "observe/recorder.h"

namespace atto::checkpoint_test {
namespace {

struct Case {
  std::string name;
  RunConfig config;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> all_cases() {
  RunConfig tokens;
  tokens.data.vocab = 5;
  tokens.data.context = 4;
  tokens.network.width = 3;
  tokens.network.positions = PositionKind::learned;
  tokens.training.batch = 20;
  tokens.training.rate = 0.01;
  tokens.training.schedule = RateSchedule::cosine;
  tokens.training.warmup = 30;
  tokens.training.steps = 300;
  std::vector<Case> cases{{"adam", tokens}};
  RunConfig momentum = tokens;
  momentum.training.optimizer = "sgd";
  momentum.training.momentum = 0.9;
  cases.push_back({"momentum", momentum});
  RunConfig stopping = tokens;  // holds from the first step on, so the count crosses every checkpoint
  stopping.training.stop_loss = 100;
  stopping.training.stop_hold = 200;
  cases.push_back({"stop_condition", stopping});

  RunConfig drawn_once = tokens;  // batches straddle epochs
  drawn_once.data.size = 75;
  cases.push_back({"drawn_once", drawn_once});
  RunConfig split = tokens;
  split.data.split = 0.6;
  cases.push_back({"split", split});
  RunConfig split_by_weight = split;
  split_by_weight.data.exponent = 1;
  cases.push_back({"split_by_weight", split_by_weight});

  RunConfig chain = tokens;  // its answers are distributions
  chain.data.task = "markov";
  chain.data.split = 0.5;
  cases.push_back({"chain", chain});
  RunConfig table = tokens;
  table.data.task = "table";
  give_file(table.data,
            "x0,x1,x2,x3,answer,weight,split\n0,1,2,3,4,1,0\n1,1,1,1,0,3,0\n2,3,3,1,1,1,0\n4,4,4,4,4,1,1\n");
  cases.push_back({"table", table});
  RunConfig formula = tokens;
  formula.data.task = "formula";
  formula.data.formula = "mod(sum(x), V)";
  formula.data.frequencies = {0.2, 0.2, 0.3, 0.3, 0};
  cases.push_back({"formula", formula});

  RunConfig recall;  // a data schedule that waits for a plateau to end, which it does between two checkpoints
  recall.data.task = "recall";
  recall.data.vocab = 8;
  recall.data.context = 0;
  recall.data.pairs = 3;
  recall.data.repeat = 2;
  recall.data.cross = 0.5;
  recall.data.schedule = DiversityKind::plateau;
  recall.data.switch_loss = 0.7;
  recall.network.width = 8;
  recall.network.layers = 2;
  recall.network.heads = 2;
  recall.network.output = true;
  recall.network.residual = true;
  recall.network.positions = PositionKind::learned;
  recall.network.unembedding = Tying::free;
  recall.training.batch = 32;
  recall.training.rate = 0.01;
  recall.training.steps = 300;
  cases.push_back({"recall", recall});
  RunConfig vectors;
  vectors.data.task = "regression";
  vectors.data.context = 6;
  vectors.data.dimension = 3;
  vectors.network.width = 8;
  vectors.network.mask = Mask::full;
  vectors.network.mlp = "gelu";
  vectors.network.norm = NormKind::pre;
  vectors.network.biases = true;
  vectors.network.residual = true;
  vectors.training.batch = 32;
  vectors.training.rate = 0.002;
  vectors.training.steps = 300;
  vectors.training.stop_test_loss = 0.05;
  cases.push_back({"vectors", vectors});

  RunConfig regression;
  regression.data.task = "regression";
  regression.data.context = 12;
  regression.data.dimension = 5;
  regression.network.form = Form::scores;
  regression.training.batch = 20;
  regression.training.rate = 0.05;
  regression.training.steps = 300;
  cases.push_back({"regression_adam", regression});
  RunConfig expected = regression;
  expected.data.cross = 0.25;
  expected.training.optimizer = "sgd";
  expected.training.momentum = 0.5;
  expected.training.gradient = GradientKind::expected;
  cases.push_back({"regression_expected", expected});
  RunConfig diverging = regression;  // once the rate has risen enough
  diverging.training.optimizer = "sgd";
  diverging.training.rate = 40;
  diverging.training.warmup = 300;
  cases.push_back({"diverging", diverging});
  RunConfig flow = regression;
  flow.training.optimizer = "flow";
  flow.training.gradient = GradientKind::expected;
  flow.training.rate = 1;
  flow.network.init_scale = 0;
  flow.training.stop_loss = 0.2;
  flow.training.stop_hold = 120;
  cases.push_back({"flow", flow});
  return cases;
}

// Every observable: some at every step, some at odd intervals, some at steps of their own.
ObservePlan everything(const RunConfig& config) {
  ObservePlan plan(3);
  plan[0].when.every = 1;
  plan[1].when.every = 7;
  plan[2].when.at = {3, 64, 65, 127, 200};
  size_t next = 0;
  for (const Observable& one : all_observables(RunSpec(config))) plan[next++ % plan.size()].what.push_back(one.address);
  return plan;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.steps_done, b.steps_done);
  EXPECT_EQ(a.diverged_at, b.diverged_at);
  EXPECT_EQ(a.stopped_early, b.stopped_early);
  EXPECT_EQ(a.best_loss, b.best_loss);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (size_t i = 0; i < a.series.size(); ++i) {
    EXPECT_EQ(a.series[i].address, b.series[i].address);
    EXPECT_EQ(a.series[i].steps, b.series[i].steps) << a.series[i].address;
    EXPECT_TRUE(same_bits(a.series[i].values, b.series[i].values)) << a.series[i].address;
  }
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (size_t i = 0; i < a.weights.size(); ++i)
    EXPECT_TRUE(same_bits(a.weights[i].values, b.weights[i].values)) << a.weights[i].name;
}

// Trains until `step` and stops there; nothing when the run ends before.
std::optional<Checkpoint> stopped_at(int64_t step, const RunConfig& config, const ObservePlan& plan,
                                     const std::optional<Checkpoint>& resume = std::nullopt) {
  std::optional<Checkpoint> kept;
  const auto stop = [&](const StepReport& report) {
    if (report.steps_done == step) kept = report.checkpoint();
    return report.steps_done < step;
  };
  const bool finished = record_run(RunSpec(config), plan, stop, resume).finished;
  EXPECT_EQ(finished, !kept);
  return kept;
}

class Checkpoints : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Run, Checkpoints, testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Checkpoints, ContinueBitForBit) {
  const RunConfig& config = GetParam().config;
  const ObservePlan plan = everything(config);
  const Recording whole = record_run(RunSpec(config), plan).recording;
  ASSERT_GT(whole.steps_done, 128) << "too short to be stopped twice";
  const std::string& name = GetParam().name;
  ASSERT_EQ(whole.diverged_at.has_value(), name == "diverging");
  ASSERT_EQ(whole.stopped_early, name == "stop_condition" || name == "vectors" || name == "flow");
  for (const int64_t step : {64, 128, 192, 256}) {
    SCOPED_TRACE(step);
    const std::optional<Checkpoint> checkpoint = stopped_at(step, config, plan);
    ASSERT_EQ(checkpoint.has_value(), step <= whole.steps_done);
    if (!checkpoint) continue;
    EXPECT_EQ(checkpoint->snapshot.step, step);
    int64_t first_report = 0;
    const auto note = [&](const StepReport& report) {
      if (first_report == 0) first_report = report.steps_done;
      return true;
    };
    expect_same(record_run(RunSpec(config), plan, note, checkpoint).recording, whole);
    EXPECT_TRUE(first_report == 0 || (first_report > step && first_report <= step + 64)) << "it began at the beginning";
  }
}

TEST_P(Checkpoints, MayFollowEachOtherAndCostNothingWhenOnlyLookedAt) {
  const RunConfig& config = GetParam().config;
  const ObservePlan plan = everything(config);
  const Recording whole = record_run(RunSpec(config), plan).recording;
  expect_same(
      record_run(RunSpec(config), plan, [](const StepReport& report) { return report.checkpoint().snapshot.step > 0; })
          .recording,
      whole);
  const std::optional<Checkpoint> second = stopped_at(128, config, plan, stopped_at(64, config, plan));
  expect_same(record_run(RunSpec(config), plan, {}, second).recording, whole);
}

// What else the recall run changes: whether its plateau is over, which decides the data that follow.
TEST(CheckpointsOfADataSchedule, HoldWhereItStands) {
  const std::vector<Case> cases = all_cases();
  const auto recall =
      std::find_if(cases.begin(), cases.end(), [](const Case& one) { return one.name == "recall"; })->config;
  const auto before = stopped_at(64, recall, {})->snapshot.extra, after = stopped_at(128, recall, {})->snapshot.extra;
  EXPECT_EQ(before.back(), 0);
  EXPECT_EQ(after.back(), 1) << "the plateau ended in between";
}

TEST(CheckpointsOfOtherRuns, AreRefused) {
  const std::vector<Case> cases = all_cases();
  const RunConfig& config = cases[0].config;
  const ObservePlan plan = everything(config);
  const std::optional<Checkpoint> checkpoint = stopped_at(64, config, plan);
  const auto kind = [&](const RunConfig& other_config, const ObservePlan& other_plan) {
    try {
      record_run(RunSpec(other_config), other_plan, {}, checkpoint);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::usage;
  };
  EXPECT_EQ(kind(config, {{{"loss"}, {1, 0, 0, {}}}}), ErrorKind::internal);
  EXPECT_EQ(kind(config, {plan[0], plan[1], plan[2], plan[0]}), ErrorKind::internal);
  RunConfig wider = config;
  wider.network.width = 4;
  EXPECT_EQ(kind(wider, plan), ErrorKind::internal);
  EXPECT_EQ(kind(cases[1].config, plan), ErrorKind::internal) << "another optimizer";
  EXPECT_EQ(kind(cases.back().config, everything(cases.back().config)), ErrorKind::internal) << "the flow";
}

}  // namespace
}  // namespace atto::checkpoint_test
