// Training on the expected loss of a token task: the sum over all its sequences, without sampling noise.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "data/task.h"
#include "network_run.h"
#include "reference/engine.h"

namespace atto::reference::population_test {
namespace {

RunConfig expected_run(const std::string& task, int64_t vocab, int64_t context) {
  RunConfig config;
  config.data.task = task;
  config.data.vocab = vocab;
  config.data.context = context;
  config.training.gradient = GradientKind::expected;
  config.training.rate = 0.02;
  config.training.steps = 30;
  return config;
}

Shape shape_of(const RunConfig& config, int vocabulary) {
  Shape shape;
  shape.vocab = vocabulary;
  shape.context = static_cast<int>(config.data.context);
  shape.width = static_cast<int>(config.network.width);
  if (config.network.positions == PositionKind::learned) shape.positions = Positions::learned;
  shape.causal = config.network.mask == Mask::causal;
  shape.tied = config.network.unembedding == Tying::tied;
  return shape;
}

// Every string of tokens as digits of a number, and what the task asks about it, spelt out once more.
Sequences brute_force(const RunConfig& config) {
  const DataConfig& data = config.data;
  const auto task = make_task(data);
  const std::vector<double> p = task->frequencies(), chain = task->transitions();
  const bool next = data.task == "unigram" || data.task == "bigram";
  const int V = static_cast<int>(data.vocab), C = static_cast<int>(data.context);
  const int length = C + (next && !data.bos ? 1 : 0);
  const int count = static_cast<int>(std::lround(std::pow(V, length)));
  Sequences all;
  all.samples = count;
  all.first_asked = data.targets == Targets::last ? C - 1 : data.task == "nearest" ? 1 : static_cast<int>(data.offset);
  all.asked = C - all.first_asked;
  for (int number = 0; number < count; ++number) {
    std::vector<int> t(static_cast<size_t>(length));
    double probability = 1;
    for (int i = 0, rest = number; i < length; ++i, rest /= V) t[i] = rest % V;
    for (int i = 0; i < length; ++i) probability *= i > 0 && !chain.empty() ? chain[t[i - 1] * V + t[i]] : p[t[i]];
    for (int i = 0; i < C; ++i) all.tokens.push_back(!data.bos ? t[i] : i == 0 ? V : t[i - 1]);
    for (int i = all.first_asked; i < C; ++i) {
      int answer = next ? t[data.bos ? i : i + 1] : t[i - static_cast<int>(data.offset)];
      if (data.task == "nearest") {
        answer = t[0];
        for (int j = 1; j < i; ++j)
          if (std::abs(t[j] - t[i]) < std::abs(answer - t[i])) answer = t[j];
      }
      all.targets.push_back(answer);
      all.weights.push_back(probability * count);
    }
  }
  return all;
}

struct Case {
  std::string name;
  RunConfig config;
};

std::vector<Case> cases() {
  RunConfig copy = expected_run("copy", 5, 4);  // taken as multisets
  RunConfig zipf = copy;
  zipf.data.exponent = 1;
  RunConfig every = copy;
  every.data.targets = Targets::every;
  every.data.offset = 1;
  RunConfig positions = copy;
  positions.network.positions = PositionKind::learned;
  positions.network.unembedding = Tying::free;
  positions.network.width = 3;
  RunConfig full = copy;
  full.network.mask = Mask::full;
  RunConfig nearest = expected_run("nearest", 6, 3);
  nearest.data.exponent = 0.5;
  RunConfig unigram = expected_run("unigram", 4, 3);
  unigram.data.exponent = 1;
  RunConfig bos = unigram;
  bos.data.bos = true;
  bos.data.targets = Targets::every;
  RunConfig bigram = expected_run("bigram", 4, 3);
  RunConfig bigram_bos = bigram;
  bigram_bos.data.bos = true;
  bigram_bos.data.targets = Targets::every;
  return {{"copy", copy},       {"zipf", zipf}, {"every", every},   {"positions", positions},   {"full", full},
          {"nearest", nearest}, {"bos", bos},   {"bigram", bigram}, {"bigram_bos", bigram_bos}, {"unigram", unigram}};
}

TEST(ExpectedGradient, EqualsTheSumOverAllSequences) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    NetworkRun trainer(one.config);
    for (int step = 0; step < 5; ++step) trainer.evaluate(), trainer.update();
    const Shape shape = shape_of(one.config, trainer.task().vocabulary());
    const Sequences all = brute_force(one.config);
    const Parameters<double> parameters = unpack(trainer.network(), shape, trainer.parameters());
    const Expectation truth = expectation(shape, parameters, all);
    on_every_target([&] {
      const BatchResult result = trainer.evaluate();
      EXPECT_NEAR(result.loss, truth.loss, 5e-7 * truth.loss);
      expect_close(unpack(trainer.network(), shape, trainer.gradients()), truth.gradients, truth.scale, 5e-7);
    });
  }
}

// 65,536 sequences summed in single precision would be off by far more.
TEST(ExpectedGradient, OfManySequencesIsAsExact) {
  RunConfig config = expected_run("copy", 4, 8);
  config.network.positions = PositionKind::learned;  // so that the order counts and all sequences are taken
  NetworkRun trainer(config);
  const Shape shape = shape_of(config, 4);
  const Parameters<double> parameters = unpack(trainer.network(), shape, trainer.parameters());
  const Expectation truth = expectation(shape, parameters, brute_force(config));
  trainer.evaluate();
  Parameters<double> found = unpack(trainer.network(), shape, trainer.gradients()), wanted = truth.gradients,
                     terms = truth.scale;
  double error = 0, largest = 0;
  for (size_t m = 0; m < found.named().size(); ++m) {
    for (size_t i = 0; i < found.named()[m].second->size(); ++i) {
      error = std::max(error, std::abs((*found.named()[m].second)[i] - (*wanted.named()[m].second)[i]));
      largest = std::max(largest, (*terms.named()[m].second)[i]);
    }
  }
  EXPECT_LT(error, 1e-7 * largest);
}

// Batches of fresh data scatter around it.
TEST(ExpectedGradient, IsTheMeanOfSampledOnes) {
  RunConfig config = expected_run("copy", 10, 4);
  config.data.exponent = 0.5;
  NetworkRun exact(config);
  for (int step = 0; step < 20; ++step) exact.evaluate(), exact.update();
  const BatchResult truth = exact.evaluate();
  config.training.gradient = GradientKind::sampled;
  config.training.batch = 512;
  config.training.rate = 0;
  NetworkRun sampled(config);
  const size_t count = exact.gradients().size();
  std::vector<double> sum(count + 2), squares(count + 2);
  constexpr int kBatches = 400;
  Snapshot start = sampled.snapshot();
  start.parameters.assign(exact.parameters().begin(), exact.parameters().end());
  sampled.restore(start);
  for (int step = 0; step < kBatches; ++step) {
    const BatchResult one = sampled.evaluate();
    std::vector<double> values(sampled.gradients().begin(), sampled.gradients().end());
    values.push_back(one.loss);
    values.push_back(one.accuracy);
    for (size_t i = 0; i < values.size(); ++i) sum[i] += values[i], squares[i] += values[i] * values[i];
    sampled.update();
  }
  std::vector<double> expected(exact.gradients().begin(), exact.gradients().end());
  expected.push_back(truth.loss);
  expected.push_back(truth.accuracy);
  double most = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double mean = sum[i] / kBatches, variance = squares[i] / kBatches - mean * mean;
    if (variance == 0) continue;  // gaps between matrices
    const double deviations = std::abs(mean - expected[i]) / std::sqrt(variance / kBatches);
    EXPECT_LT(deviations, 4) << i;
    most = std::max(most, deviations);
  }
  EXPECT_GT(most, 0.5) << "nothing was compared";
}

std::vector<double> trace(const RunConfig& config) {
  NetworkRun trainer(config);
  std::vector<double> all;
  while (trainer.step() < config.training.steps) {
    const BatchResult result = trainer.evaluate();
    all.push_back(result.loss);
    all.push_back(result.accuracy);
    trainer.update();
  }
  all.insert(all.end(), trainer.parameters().begin(), trainer.parameters().end());
  return all;
}

TEST(ExpectedGradient, KnowsNeitherDataSeedNorBatch) {
  const RunConfig config = expected_run("copy", 6, 3);
  RunConfig other_data = config, other_batch = config, other_init = config;
  other_data.seeds.data = 7;
  other_batch.training.batch = 3;
  other_init.seeds.init = 7;
  EXPECT_EQ(trace(config), trace(other_data));
  EXPECT_EQ(trace(config), trace(other_batch));
  EXPECT_NE(trace(config), trace(other_init));
}

TEST(ExpectedGradient, StopsAtItsLossAndScalesRatesByFrequency) {
  RunConfig config = expected_run("copy", 4, 3);
  config.training.stop_loss = 100;
  config.training.stop_hold = 3;
  NetworkRun trainer(config);
  while (trainer.evaluate(), !trainer.should_stop()) trainer.update();
  EXPECT_EQ(trainer.step(), 2);

  config.data.exponent = 1;
  config.training.optimizer = "sgd";
  RunConfig scaled = config;
  scaled.training.frequency_rate = 1;
  NetworkRun plain(config), slower(scaled);
  const std::vector<float> before(plain.parameters().begin(), plain.parameters().end());
  for (NetworkRun* one : {&plain, &slower}) one->evaluate(), one->update();
  const size_t row = 3 * 2;  // of the rarest of four tokens, at a quarter of the highest frequency
  for (const size_t i : {row, row + 1})
    EXPECT_NEAR(slower.parameters()[i] - before[i], (plain.parameters()[i] - before[i]) / 4, 1e-7);
}

void expect_refused(const RunConfig& config, const std::string& message, const std::string& remedy) {
  try {
    RunSpec{config};
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_STREQ(error.what(), message.c_str());
    EXPECT_EQ(error.remedy(), remedy);
  }
}

TEST(ExpectedGradient, RefusesWhatCannotBeListed) {
  const std::string instead = "set training.gradient = \"sampled\", or take the task copy, nearest, unigram or bigram";
  RunConfig recall = expected_run("recall", 10, 0);
  expect_refused(recall,
                 "training.gradient = \"expected\", but the sequences of the task 'recall' cannot be listed one by one",
                 instead);
  RunConfig regression = expected_run("regression", 10, 4);
  regression.network.unembedding = Tying::free;
  expect_refused(
      regression,
      "training.gradient = \"expected\", but the sequences of the task 'regression' cannot be listed one by one",
      instead + ", or network.form = \"scores\"");
  const std::string fewer = "lower data.vocab or data.context, or set training.gradient = \"sampled\"";
  expect_refused(expected_run("copy", 100, 4),
                 "training.gradient = \"expected\", but data.vocab = 100 and data.context = 4 make 17170000 different "
                 "sequences, of at most 4194304",
                 fewer);
  RunConfig ordered = expected_run("copy", 100, 4);
  ordered.network.positions = PositionKind::learned;
  ordered.data.context = 8;
  expect_refused(ordered,
                 "training.gradient = \"expected\", but data.vocab = 100 and data.context = 8 make 1e+16 different "
                 "sequences, of at most 4194304",
                 fewer);
  RunConfig flow = expected_run("copy", 4, 4);
  flow.training.optimizer = "flow";
  expect_refused(flow, "only the network of free scores has a gradient flow",
                 "use training.optimizer adam or sgd, or the task regression with network.form = \"scores\"");
}

TEST(SequencesAStep, AreABatchOrAllThereAre) {
  RunConfig config = expected_run("copy", 10, 4);
  EXPECT_EQ(RunSpec(config).attention()->sequences, 2200);
  RunConfig ordered = config;
  for (const auto& change : std::vector<void (*)(NetworkConfig&)>{
           [](NetworkConfig& network) { network.positions = PositionKind::sinusoidal; },
           [](NetworkConfig& network) { network.layers = 2; }, [](NetworkConfig& network) { network.window = 2; },
           [](NetworkConfig& network) { network.stride = 2; },
           [](NetworkConfig& network) { network.position_bias = BiasKind::slope; }}) {
    ordered = config;
    change(ordered.network);
    EXPECT_EQ(RunSpec(ordered).attention()->sequences, 10000);
  }
  RunConfig blind = config;
  blind.network.layers = 2;
  blind.network.mask = Mask::full;
  EXPECT_EQ(RunSpec(blind).attention()->sequences, 2200);
  config.training.gradient = GradientKind::sampled;
  EXPECT_EQ(RunSpec(config).attention()->sequences, 512);
}

// What sees_order() says of a network, the network does: multisets give the loss of all orders.
TEST(SequencesAStep, MultisetsGiveTheLossOfAllOrders) {
  RunConfig config = expected_run("copy", 4, 4);
  config.network.layers = 2;
  config.network.residual = true;
  config.network.mask = Mask::full;
  RunConfig ordered = config;
  ordered.network.window = 4;  // hides nothing from a context of 4, but only the network knows
  ASSERT_LT(RunSpec(config).attention()->sequences, RunSpec(ordered).attention()->sequences);
  NetworkRun multisets(config), orders(ordered);
  const double loss = orders.evaluate().loss;
  EXPECT_NEAR(multisets.evaluate().loss, loss, 1e-6 * loss);
  double largest = 0;
  for (size_t i = 0; i < orders.gradients().size(); ++i) {
    EXPECT_NEAR(multisets.gradients()[i], orders.gradients()[i], 1e-6);
    largest = std::max<double>(largest, std::abs(orders.gradients()[i]));
  }
  EXPECT_GT(largest, 1e-2);
}

}  // namespace
}  // namespace atto::reference::population_test
