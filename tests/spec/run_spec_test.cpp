// A run described: everything that is said of it without starting it holds once it is started.
#include "spec/run_spec.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "counted_new.h"
#include "spec/live_run.h"

namespace atto {
namespace {

struct Case {
  std::string name;
  RunConfig config;
};

RunConfig of_task(const std::string& task) {
  RunConfig config;
  config.data.task = task;
  config.training.batch = 32;
  return config;
}

RunConfig scores(const std::string& optimizer) {
  RunConfig config = of_task("regression");
  config.data.dimension = 6;
  config.data.context = 12;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = optimizer;
  config.training.gradient = GradientKind::expected;
  return config;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* task : {"copy", "nearest", "unigram", "bigram"}) cases.push_back({task, of_task(task)});
  RunConfig recall = of_task("recall");
  recall.data.context = 0;
  recall.network.layers = recall.network.heads = 2;
  recall.network.width = 8;
  recall.network.output = recall.network.residual = true;
  recall.network.mlp = "gelu";
  cases.push_back({"recall", recall});
  RunConfig vectors = of_task("regression");
  vectors.network.width = 8;
  cases.push_back({"vectors", vectors});
  RunConfig listed = of_task("copy");
  listed.training.gradient = GradientKind::expected;
  listed.training.optimizer = "sgd";
  cases.push_back({"listed", listed});
  cases.push_back({"scores", scores("adam")});
  cases.push_back({"flow", scores("flow")});
  return cases;
}

TEST(RunSpec, IsOfExactlyOneKind) {
  for (const Case& one : all_cases()) {
    const RunSpec spec(one.config);
    EXPECT_NE(spec.attention() == nullptr, spec.emergence() == nullptr) << one.name;
    const LiveRun run(spec);
    EXPECT_EQ(run.attention() == nullptr, spec.attention() == nullptr) << one.name;
    EXPECT_EQ(run.emergence() == nullptr, spec.emergence() == nullptr) << one.name;
  }
}

TEST(RunSpec, KnowsTheParametersOfTheRun) {
  for (const Case& one : all_cases()) {
    const RunSpec spec(one.config);
    const LiveRun run(spec);
    EXPECT_EQ(run.trainer().parameters().size(), spec.parameter_count()) << one.name;
    const auto weights = run.trainer().weights();
    ASSERT_EQ(weights.size(), spec.matrices().size()) << one.name;
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(weights[i].name, spec.matrices()[i].name);
      EXPECT_EQ(weights[i].rows, spec.matrices()[i].rows);
      EXPECT_EQ(weights[i].columns, spec.matrices()[i].columns);
      EXPECT_EQ(spec.find(weights[i].name), &spec.matrices()[i]);
    }
    EXPECT_EQ(spec.find("W_nowhere"), nullptr);
    const Snapshot snapshot = run.trainer().snapshot();
    EXPECT_EQ(spec.memory().parameters, sizeof(float) * snapshot.parameters.size()) << one.name;
    EXPECT_EQ(spec.memory().optimizer, sizeof(float) * snapshot.optimizer.size()) << one.name;
  }
}

TEST(RunSpec, KnowsTheSequencesOfAStep) {
  RunConfig config = of_task("copy");
  EXPECT_EQ(RunSpec(config).attention()->sequences, 32);
  config.training.gradient = GradientKind::expected;
  EXPECT_EQ(RunSpec(config).attention()->sequences, 2200) << "multisets of three tokens of ten, and the last";
  config.network.positions = PositionKind::learned;
  EXPECT_EQ(RunSpec(config).attention()->sequences, 10000);
}

TEST(RunSpec, ListsActivationsByAddress) {
  const RunSpec spec(all_cases()[4].config);
  EXPECT_TRUE(spec.activations().contains("layer.0.attention.pattern"));
  EXPECT_TRUE(spec.activations().contains("layer.1.attention.pattern"));
  EXPECT_TRUE(spec.activations().contains("output"));
  EXPECT_TRUE(RunSpec(scores("sgd")).activations().empty());
}

TEST(RunSpec, RecallKnowsItsContext) {
  RunConfig config = of_task("recall");
  config.data.context = 0;
  config.data.pairs = 5;
  EXPECT_EQ(RunSpec(config).attention()->task.shape.context, 11);
}

// Reading a study describes every cell: what that takes does not depend on the sizes of the network.
TEST(MemoryOf, ADescriptionIsNextToNothing) {
  for (Case& one : all_cases()) {
    one.config.training.batch = 1 << 16;
    if (one.name != "vectors" && one.name != "scores" && one.name != "flow" && one.name != "listed")
      one.config.data.vocab = 4096;
    if (one.name == "scores" || one.name == "flow") one.config.data.dimension = 100'000;
    EXPECT_LT(peak_during([&] { RunSpec spec(one.config); }), 200e3) << one.name;
  }
}

// No machine could start these.
TEST(RunSpec, DescribesWhatNoMachineHolds) {
  RunConfig toy = scores("sgd");
  toy.data.dimension = 100'000;
  toy.data.context = 1'000'000;
  EXPECT_GT(RunSpec(toy).memory().total, size_t{100} << 30);
  RunConfig table = of_task("bigram");
  table.data.vocab = 4096;
  table.data.context = 4096;
  table.network.width = 1024;
  table.network.layers = 16;
  table.network.residual = true;
  EXPECT_GT(RunSpec(table).memory().total, size_t{1} << 30);
}

TEST(RunSpec, CostsGrowWithWhatARunDoes) {
  const auto grows = [](RunConfig config, auto change) {
    const double before = RunSpec(config).cost();
    change(config);
    EXPECT_GT(RunSpec(config).cost(), before);
  };
  const RunConfig copy = of_task("copy"), recall = all_cases()[4].config;
  grows(copy, [](RunConfig& config) { config.training.steps *= 2; });
  grows(copy, [](RunConfig& config) { config.training.batch *= 2; });
  grows(copy, [](RunConfig& config) { config.data.vocab *= 2; });
  grows(copy, [](RunConfig& config) { config.data.context *= 2; });
  grows(copy, [](RunConfig& config) { config.network.width *= 2; });
  grows(recall, [](RunConfig& config) { config.data.pairs += 1; });
  grows(recall, [](RunConfig& config) { config.network.layers += 1; });
  grows(recall, [](RunConfig& config) { config.network.mlp_factor += 1; });
  grows(scores("sgd"), [](RunConfig& config) { config.data.dimension *= 2; });
}

TEST(RunSpec, RefusesUnknownParts) {
  for (auto change : {+[](RunConfig& config) { config.data.task = "cpoy"; },
                      +[](RunConfig& config) { config.network.kernel = "dto"; },
                      +[](RunConfig& config) { config.training.optimizer = "adma"; }}) {
    RunConfig config;
    change(config);
    EXPECT_THROW(RunSpec{config}, Error);
  }
}

}  // namespace
}  // namespace atto
