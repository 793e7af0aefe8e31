// What a run is said to take beforehand is what it takes.
#include "observe/memory.h"

#include <gtest/gtest.h>

#include "counted_new.h"
#include "data/number_files.h"
#include "observe/observable.h"
#include "observe/probes.h"
#include "observe/recorder.h"

namespace atto::memory_test {
namespace {

// Names, closures and other odds and ends of a run, which no estimate lists.
constexpr double kSmallThings = 32 * 1024;

void expect_close(const RunConfig& config, const ObservePlan& plan) {
  const auto estimate = static_cast<double>(estimate_memory(RunSpec(config), plan).total());
  const double taken = peak_during([&] { record_run(RunSpec(config), plan); });
  EXPECT_LT(taken, 1.1 * estimate + kSmallThings);
  EXPECT_GT(taken, 0.9 * estimate);
}

ObservePlan everything(const RunConfig& config, const MeasureSteps& when) {
  ObservePlan plan(1);
  for (const Observable& one : all_observables(RunSpec(config))) plan[0].what.push_back(one.address);
  plan[0].when = when;
  return plan;
}

struct Case {
  std::string name;
  RunConfig config;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

// Large enough for 10 % to be more than the small things, short enough for a test.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&cases](const std::string& name, RunConfig config) { cases.push_back({name, std::move(config)}); };
  RunConfig wide;
  wide.data.vocab = 300;
  wide.data.context = 40;
  wide.network.width = 96;
  wide.training.batch = 100;
  wide.training.steps = 1;
  add("wide", wide);
  RunConfig every = wide;
  every.data.targets = Targets::every;
  every.network.positions = PositionKind::learned;
  every.network.unembedding = Tying::free;
  every.training.optimizer = "sgd";
  add("every", every);
  RunConfig rates = wide;
  rates.data.vocab = 5000;
  rates.training.frequency_rate = 0.5;
  add("frequency_rates", rates);
  RunConfig expected_copy;
  expected_copy.data.vocab = 20;
  expected_copy.training.gradient = GradientKind::expected;
  expected_copy.training.steps = 1;
  add("expected_copy", expected_copy);
  RunConfig drawn_once;
  drawn_once.data.size = 100000;
  drawn_once.training.steps = 1;
  add("drawn_once", drawn_once);
  RunConfig drawn_expected = drawn_once;
  drawn_expected.training.gradient = GradientKind::expected;
  add("drawn_expected", drawn_expected);
  RunConfig split;
  split.data.vocab = 20;
  split.data.split = 0.7;
  split.training.steps = 1;
  add("split", split);
  RunConfig split_by_weight = split;
  split_by_weight.data.exponent = 1;
  add("split_by_weight", split_by_weight);
  RunConfig chain;
  chain.data.task = "markov";
  chain.data.chain = ChainKind::uniform;
  chain.data.vocab = 40;
  chain.data.context = 3;
  chain.training.gradient = GradientKind::expected;
  chain.training.steps = 1;
  add("chain_expected", chain);
  chain.data.chain = ChainKind::low_rank;
  chain.data.vocab = 600;
  chain.training.gradient = GradientKind::sampled;
  add("chain_sampled", chain);
  RunConfig table;
  table.data.task = "table";
  table.data.context = 2;
  std::string rows = "x0,x1,answer,weight\n";
  for (int i = 0; i < 30000; ++i) rows += "1,2,3," + std::to_string(1 + i % 3) + "\n";
  give_file(table.data, rows);
  table.training.steps = 1;
  add("table", table);
  RunConfig formula;
  formula.data.task = "formula";
  formula.data.formula = "mod(x0 + x1, V)";
  formula.data.vocab = 256;
  formula.data.context = 2;
  formula.data.split = 0.5;
  formula.training.steps = 1;
  add("formula", formula);
  RunConfig bigram;
  bigram.data.task = "bigram";
  bigram.data.vocab = 600;
  bigram.network.width = 2;
  bigram.training.steps = 1;
  add("bigram", bigram);
  RunConfig transformer;
  transformer.data.task = "regression";
  transformer.data.context = 32;
  transformer.data.dimension = 8;
  transformer.network.width = 64;
  transformer.network.layers = 2;
  transformer.network.heads = 4;
  transformer.network.output = true;
  transformer.network.residual = true;
  transformer.network.mlp = "gelu";
  transformer.network.norm = NormKind::pre;
  transformer.network.biases = true;
  transformer.network.positions = PositionKind::sinusoidal;
  transformer.network.mask = Mask::full;
  transformer.training.batch = 32;
  transformer.training.steps = 1;
  add("transformer", transformer);
  RunConfig muon = transformer;  // with room to orthogonalise in
  muon.network.width = 128;
  muon.training.batch = 16;
  muon.training.optimizer = "muon";
  muon.training.momentum = 0.9;
  add("muon", muon);
  RunConfig noise = wide;
  noise.training.interventions = {{.until = 1, .embedding_noise = 0.1}};
  noise.training.fresh_embeddings = true;
  add("noise", noise);
  RunConfig recall = transformer;
  recall.data.task = "recall";
  recall.data.context = 0;
  recall.data.vocab = 32;
  recall.network.mask = Mask::causal;
  recall.network.unembedding = Tying::free;
  recall.network.positions = PositionKind::learned;
  recall.network.position_bias = BiasKind::free;
  add("recall", recall);
  RunConfig forms = recall;
  forms.network.position_bias = BiasKind::none;
  forms.network.positions = PositionKind::rotary;
  forms.network.kernel = "inverse";
  forms.network.normalizer = Normalizer::sink;
  forms.network.qk_norm = forms.network.gate = true;
  add("forms", forms);
  RunConfig stack = transformer;
  stack.network.layers = 1;
  stack.network.stack = {"mlp", "attention", "linear", "attention", "mlp"};
  stack.network.normalizer = Normalizer::sigmoid;
  add("stack", stack);
  RunConfig bare = wide;
  bare.network.stack = {};
  add("bare", bare);
  RunConfig scores;
  scores.data.task = "regression";
  scores.data.context = 20000;
  scores.data.dimension = 200;
  scores.network.form = Form::scores;
  scores.training.batch = 300;
  scores.training.steps = 1;
  add("scores_sampled", scores);
  RunConfig expected = scores;
  expected.data.context = 30;
  expected.data.cross = 0.5;
  expected.training.gradient = GradientKind::expected;
  expected.training.optimizer = "sgd";
  add("scores_expected", expected);
  RunConfig flow = expected;
  flow.training.optimizer = "flow";
  flow.network.init_scale = 0;
  flow.training.steps = 100000;
  add("flow", flow);
  return cases;
}

class Memory : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Run, Memory, testing::ValuesIn(all_cases()), [](const auto& one) { return one.param.name; });

TEST(MemoryItself, IsCounted) {
  EXPECT_GE(peak_during([] { std::vector<float> some(1000); }), 4000);
  EXPECT_LT(peak_during([] {
              std::vector<float> some(1000);
              some = {};
              some.shrink_to_fit();
              some.resize(1000);
            }),
            6000)
      << "one after the other";
}

TEST_P(Memory, OfTheTrainingAlone) { expect_close(GetParam().config, {}); }

TEST_P(Memory, OfEverythingThatCanBeObserved) {
  const RunConfig& config = GetParam().config;
  expect_close(config, everything(config, {0, 2, 0, {}}));
}

// What is measured at every step of a long run outweighs the network.
TEST(MemoryOf, LongSeries) {
  RunConfig config;
  config.data.vocab = 3;
  config.training.batch = 1;
  config.training.steps = 40'000;
  expect_close(config, {{{"perplexity"}, {1, 0, 0, {}}}, {{"embedding"}, {0, 1001, 50, {3, 5}}}});
}

// Each looks at the probes that it is said to look at.
TEST(MemoryOf, EachObservableByItself) {
  for (const Case& one : all_cases()) {
    if (one.name != "wide" && one.name != "transformer" && one.name != "recall") continue;
    RunConfig config = one.config;
    config.training.batch = 16;  // so that the probes stand out
    config.network.width = 16;
    for (const Observable& observable : all_observables(RunSpec(config))) {
      SCOPED_TRACE(one.name + ", " + observable.address);
      expect_close(config, {{{observable.address}, {0, 1, 0, {}}}});
    }
  }
}

TEST(MemoryOf, WhatCannotBeListedIsBounded) {
  RunConfig config;
  config.training.steps = 1'000'000'000'000;
  EXPECT_GT(estimate_memory(RunSpec(config), {{{"loss"}, {1, 0, 0, {}}}}).total(), size_t{16'000'000'000'000});
  config.data.dimension = 100'000;
  config.data.task = "regression";
  config.network.form = Form::scores;
  const RunMemory huge = estimate_memory(RunSpec(config), {{{"loss"}, {1, 0, 0, {}}}});
  EXPECT_GT(huge.total(), size_t{100} << 30);
  EXPECT_GT(huge.series, size_t{16'000'000'000'000}) << "described without a network in memory";
}

TEST(MemoryOf, ACheckpointIsWhatItHolds) {
  for (const Case& one : all_cases()) {
    if (one.name == "bigram" || one.name == "frequency_rates") continue;  // slow, and nothing new
    RunConfig config = one.config;
    config.training.steps = 64;
    config.training.batch = 1;
    ObservePlan plan = everything(config, {16, 0, 0, {}});  // the one at 64 itself comes after the checkpoint
    plan[0].what.resize(5);
    size_t bytes = 0, measurement = 0;
    record_run(RunSpec(config), plan, [&](const StepReport& report) {
      if (report.steps_done < 64) return true;
      const Checkpoint checkpoint = report.checkpoint();
      bytes = sizeof(float) * (checkpoint.snapshot.parameters.size() + checkpoint.snapshot.optimizer.size()) +
              sizeof(double) * checkpoint.measured.size();
      measurement = sizeof(double) * checkpoint.measured.size() / 4;
      return false;
    });
    EXPECT_EQ(estimate_memory(RunSpec(config), plan).checkpoint, bytes + measurement) << one.name;
  }
}

TEST(MemoryOf, NoProbeIsNone) {
  EXPECT_EQ(NetworkProbes::bytes(RunSpec(RunConfig()), ProbeKind::none), 0u);
  EXPECT_GT(NetworkProbes::bytes(RunSpec(RunConfig()), ProbeKind::few), 0u);
}

}  // namespace
}  // namespace atto::memory_test
