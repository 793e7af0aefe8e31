// Training on given chains and tables: the exact gradient, and what is tested.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "data/number_files.h"
#include "network_run.h"
#include "reference/engine.h"

namespace atto::reference::given_data_test {
namespace {

RunConfig markov_run(ChainKind chain, int64_t vocab, int64_t context) {
  RunConfig config;
  config.data.task = "markov";
  config.data.chain = chain;
  config.data.vocab = vocab;
  config.data.context = context;
  config.training.gradient = GradientKind::expected;
  config.training.rate = 0.02;
  config.training.steps = 30;
  return config;
}

// Every context with every next token, one by one, with hard answers: V^(C+1) sequences.
Sequences brute_force(const RunConfig& config) {
  const DataConfig& data = config.data;
  const auto task = make_task(data);
  const std::vector<double> start = task->start(), chain = task->transitions();
  const int V = static_cast<int>(data.vocab), C = static_cast<int>(data.context);
  const int length = C + (data.bos ? 0 : 1), count = static_cast<int>(std::lround(std::pow(V, length)));
  Sequences all;
  all.samples = count;
  all.first_asked = task->first_asked();
  all.asked = task->asked();
  for (int number = 0; number < count; ++number) {
    std::vector<int> t(static_cast<size_t>(length));
    for (int i = 0, rest = number; i < length; ++i, rest /= V) t[i] = rest % V;
    double probability = start[t[0]];
    for (int i = 1; i < length; ++i) probability *= chain[t[i - 1] * V + t[i]];
    for (int i = 0; i < C; ++i) all.tokens.push_back(!data.bos ? t[i] : i == 0 ? V : t[i - 1]);
    for (int i = all.first_asked; i < C; ++i) {
      all.targets.push_back(t[data.bos ? i : i + 1]);
      all.weights.push_back(probability * count);
    }
  }
  return all;
}

Shape shape_of(const RunConfig& config, int vocabulary) {
  Shape shape;
  shape.vocab = vocabulary;
  shape.context = static_cast<int>(config.data.context);
  shape.width = static_cast<int>(config.network.width);
  shape.tied = config.network.unembedding == Tying::tied;
  shape.harmonic = config.network.logits == Logits::harmonic;
  shape.logits_power = config.network.logits_power;
  return shape;
}

// The exact distribution as the answer gives the gradient of the sum over all answers.
TEST(ExpectedGradientOfAChain, EqualsTheSumOverAllSequences) {
  RunConfig ring = markov_run(ChainKind::ring, 5, 3);
  RunConfig every = markov_run(ChainKind::low_rank, 4, 3);
  every.data.targets = Targets::every;
  every.network.width = 5;
  RunConfig bos = every;
  bos.data.bos = true;
  RunConfig started = markov_run(ChainKind::drift, 4, 3);
  started.data.start = {0.5, 0, 0.25, 0.25};
  started.data.bos = true;
  started.data.targets = Targets::every;
  RunConfig harmonic = ring;
  harmonic.network.logits = Logits::harmonic;
  RunConfig file = markov_run(ChainKind::file, 3, 2);
  give_file(file.data, "0.2,0.3,0.5\n1,0,0\n0.25,0.75,0\n");
  file.network.unembedding = Tying::free;
  for (const RunConfig& config : {ring, every, bos, started, harmonic, file}) {
    SCOPED_TRACE(std::string(to_word(config.data.chain)) + (config.data.bos ? " with [BOS]" : ""));
    NetworkRun run(config);
    for (int step = 0; step < 5; ++step) run.evaluate(), run.update();
    const Shape shape = shape_of(config, run.task().vocabulary());
    const Expectation truth = expectation(shape, unpack(run.network(), shape, run.parameters()), brute_force(config));
    on_every_target([&] {
      EXPECT_NEAR(run.evaluate().loss, truth.loss, 1e-6 * truth.loss);
      expect_close(unpack(run.network(), shape, run.gradients()), truth.gradients, truth.scale, 1e-6);
    });
  }
}

TEST(ExpectedGradientOfAChain, IsTheSameForNetworksOfBlocks) {
  RunConfig config = markov_run(ChainKind::ring, 6, 3);
  config.network.width = 8;
  config.network.heads = 2;
  config.network.output = true;
  config.network.unembedding = Tying::free;
  config.data.targets = Targets::every;
  NetworkRun exact(config);
  const BatchResult truth = exact.evaluate();
  config.training.gradient = GradientKind::sampled;
  config.training.batch = 4096;
  config.training.rate = 0;
  NetworkRun sampled(config);
  double loss = 0, accuracy = 0;
  std::vector<double> gradient(exact.gradients().size());
  constexpr int kBatches = 60;
  for (int step = 0; step < kBatches; ++step) {
    const BatchResult one = sampled.evaluate();
    loss += one.loss / kBatches;
    accuracy += one.accuracy / kBatches;
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += sampled.gradients()[i] / static_cast<double>(kBatches);
    sampled.update();
  }
  EXPECT_NEAR(loss, truth.loss, 3e-3);
  EXPECT_NEAR(accuracy, truth.accuracy, 3e-3);
  for (size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], exact.gradients()[i], 2e-3);
}

TEST(ExpectedGradientOfAChain, LearnsDownToItsEntropy) {
  RunConfig config = markov_run(ChainKind::ring, 8, 2);
  config.network.width = 8;
  config.network.unembedding = Tying::free;
  config.training.steps = 600;
  NetworkRun run(config);
  run.evaluate();
  EXPECT_NEAR(run.advance(600).loss, std::log(2), 2e-3);
  EXPECT_GE(run.evaluate().loss, *run.best_loss() - 1e-6);
  EXPECT_NEAR(run.evaluate().accuracy, 0.5, 0.26) << "one of the two that can follow is the largest, or both";
}

TEST(SplitOfAChain, DividesItsContexts) {
  RunConfig config = markov_run(ChainKind::ring, 12, 3);
  config.data.split = 0.5;
  for (const GradientKind gradient : {GradientKind::sampled, GradientKind::expected}) {
    config.training.gradient = gradient;
    NetworkRun run(config);
    run.evaluate();
    run.advance(30);
    EXPECT_GE(run.evaluate().loss, std::log(2) - 1e-5);
    EXPECT_GE(run.test().loss, std::log(2) - 1e-5);
    EXPECT_EQ(run.spec().attention()->sets.train, 24);
    EXPECT_EQ(run.spec().attention()->sets.test, 24);
  }
}

RunConfig table_run(const std::string& bytes) {
  RunConfig config;
  config.data.task = "table";
  config.data.vocab = 4;
  config.data.context = 2;
  give_file(config.data, bytes);
  config.network.width = 6;
  config.network.positions = PositionKind::learned;
  config.training.rate = 0.02;
  config.training.batch = 16;
  config.training.steps = 600;
  return config;
}

TEST(TrainingOnATable, ReachesItsBestLoss) {
  // 0 is answered in two ways, three to one.
  RunConfig config =
      table_run("x0,x1,answer,weight,split\n0,1,1,3,train\n0,1,2,1,train\n1,2,3,4,train\n2,2,0,1,test\n");
  for (const GradientKind gradient : {GradientKind::sampled, GradientKind::expected}) {
    config.training.gradient = gradient;
    NetworkRun run(config);
    run.evaluate();
    run.advance(600);
    EXPECT_NEAR(*run.best_loss(), 0.5 * -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-12);
    if (gradient == GradientKind::expected) {
      EXPECT_NEAR(run.evaluate().loss, *run.best_loss(), 1e-3);
    }
    EXPECT_GT(run.test().loss, 0.1) << "a row that was never trained on";
  }
}

TEST(TrainingOnATable, HasNoTestDataUnlessTheFileSaysSo) {
  const auto tested = [](const RunConfig& config) { return RunSpec(config).attention()->tested; };
  RunConfig config = table_run("0,1,1\n1,2,3\n2,3,3\n3,3,1\n");
  EXPECT_FALSE(tested(config));
  config.training.stop_test_loss = 0.1;
  EXPECT_THROW(RunSpec{config}, Error);
  config.data.split = 0.5;
  EXPECT_TRUE(tested(config));
  config.data.split = 0;
  config.training.stop_test_loss = -1;
  config.data.size = 10;
  EXPECT_TRUE(tested(config));
}

}  // namespace
}  // namespace atto::reference::given_data_test
