// Answers to the test data: against plain loops for every kind of network, and against what the run itself says.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "network_run.h"
#include "observe/observable.h"
#include "reference/engine.h"
#include "reference/transformer_engine.h"
#include "training/transformer_runs.h"

namespace atto::answer_observables_test {
namespace {

// A run, some steps into its training, and what it offers.
class Answered {
 public:
  explicit Answered(const RunConfig& config) : run(config) {
    run.evaluate();
    run.advance(3);
  }

  std::vector<double> operator()(const std::string& address) {
    for (const Observable& offer : all_observables(run.spec())) {
      if (offer.address != address) continue;
      size_t count = 1;
      for (const int64_t size : offer.shape) count *= static_cast<size_t>(size);
      std::vector<double> out(count, -1.0);
      std::get<MeasureNetwork>(offer.measure)({run.trainer(), BatchResult{}, probes}, out.data());
      return out;
    }
    ADD_FAILURE() << "no " << address;
    return {};
  }

  NetworkRun run;
  NetworkProbes probes{run};
};

// One test sequence.
struct Asked {
  std::vector<int> tokens, answers;
};
std::vector<Asked> test_data(NetworkRun& run) {
  std::vector<Asked> all;
  run.attention()->each_test_tile(run.parameters(), [&](Workspace& work) {
    const Batch& batch = work.batch();
    for (int lane = 0; lane < batch.samples; ++lane) {
      Asked& one = all.emplace_back();
      for (int i = 0; i < batch.context; ++i) one.tokens.push_back(batch.tokens[i * batch.lanes + lane]);
      for (int i = 0; i < batch.context - batch.first_asked; ++i)
        one.answers.push_back(batch.targets[i * batch.lanes + lane]);
    }
  });
  return all;
}

using Rows = std::vector<std::vector<double>>;
// The logits of a sequence at its asked positions, by the reference.
using Logits = std::function<Rows(const std::vector<int>& tokens)>;

// Plain loops over plain logits.
void expect_answers(Answered& answered, const Logits& logits_of) {
  const int vocab = answered.run.network().vocabulary(), context = answered.run.network().context();
  const auto V = static_cast<size_t>(vocab);
  std::vector<double> asked(V), losses(V), confusion(V * V);
  double largest = 0, mass = 0, total = 0;
  for (const Asked& one : test_data(answered.run)) {
    const Rows logits = logits_of(one.tokens);
    ASSERT_EQ(logits.size(), one.answers.size());
    for (size_t i = 0; i < logits.size(); ++i) {
      const auto answer = static_cast<size_t>(one.answers[i]);
      double sum = 0;
      for (const double logit : logits[i]) sum += std::exp(logit);
      const double loss = std::log(sum) - logits[i][answer];
      size_t best = 0;
      for (size_t v = 1; v < V; ++v)
        if (logits[i][v] > logits[i][best]) best = v;
      const size_t query = static_cast<size_t>(context) - logits.size() + i;
      const size_t seen = answered.run.network().mask().causal ? query + 1 : one.tokens.size();
      const std::set<int> present(one.tokens.begin(), one.tokens.begin() + static_cast<std::ptrdiff_t>(seen));
      for (const int token : present) mass += std::exp(logits[i][static_cast<size_t>(token)]) / sum;
      asked[answer] += 1;
      losses[answer] += loss;
      confusion[answer * V + best] += 1;
      largest = std::max(largest, loss);
      total += 1;
    }
  }
  EXPECT_NEAR(answered("loss.test.largest")[0], largest, 1e-4 * largest);
  EXPECT_NEAR(answered("context_mass.test")[0], mass / total, 1e-5);
  const std::vector<double> by_token = answered("loss.test.by_token"), found = answered("confusion.test");
  ASSERT_EQ(by_token.size(), V);
  ASSERT_EQ(found.size(), V * V);
  for (size_t v = 0; v < V; ++v) {
    if (asked[v] == 0) {
      EXPECT_TRUE(std::isnan(by_token[v]) && std::isnan(found[v * V])) << v;
      continue;
    }
    EXPECT_NEAR(by_token[v], losses[v] / asked[v], 1e-4 * losses[v] / asked[v]) << v;
    for (size_t w = 0; w < V; ++w)
      EXPECT_NEAR(found[v * V + w], confusion[v * V + w] / asked[v], 1e-9) << v << " " << w;
  }
}

RunConfig small(const std::string& task, const NetworkConfig& network) {
  RunConfig config;
  config.data.task = task;
  config.data.vocab = 7;
  config.data.context = 4;
  config.network = network;
  config.training.rate = 0.05;
  config.training.batch = 32;
  config.training.test_samples = 70;  // the last tile is cut
  return config;
}

void expect_reference(const std::string& task, Targets targets, const reference::Shape& shape) {
  SCOPED_TRACE(task + ", width " + std::to_string(shape.width) + (shape.harmonic ? ", harmonic" : ""));
  RunConfig config = small(task, reference::config_of(shape));
  config.data.targets = targets;
  Answered answered(config);
  const int first = answered.run.network().first_asked();
  const reference::Parameters<double> parameters =
      reference::unpack(answered.run.network(), shape, answered.run.parameters());
  expect_answers(answered, [&](const std::vector<int>& tokens) {
    const auto asked = static_cast<size_t>(shape.context - first);
    const reference::Sequences one{
        1, first, static_cast<int>(asked), tokens, std::vector<int>(asked), std::vector<double>(asked, 1.0)};
    reference::Activations<double> act(shape);
    reference::forward(shape, parameters, one, 0, act);
    Rows logits;  // up to a constant, which neither softmax nor the largest sees
    for (int i = first; i < shape.context; ++i) {
      const double* p = &reference::at(act.probabilities, shape.vocab, i, 0);
      std::vector<double>& row = logits.emplace_back();
      for (int v = 0; v < shape.vocab; ++v) row.push_back(std::log(p[v]));
    }
    return logits;
  });
}

reference::Shape one_head(int width) {
  reference::Shape shape;
  shape.vocab = 7;
  shape.context = 4;
  shape.width = width;
  return shape;
}

TEST(AnswerObservables, OfNarrowNetworksEqualPlainLoops) {
  expect_reference("copy", Targets::last, one_head(2));
  reference::Shape full = one_head(3);
  full.causal = false;
  full.tied = false;
  full.positions = reference::Positions::learned;
  expect_reference("copy", Targets::every, full);
  expect_reference("bigram", Targets::every, one_head(6));
}

TEST(AnswerObservables, OfHarmonicLogitsEqualPlainLoops) {
  for (const int width : {2, 5}) {
    reference::Shape shape = one_head(width);
    shape.harmonic = true;
    shape.logits_power = 3;
    shape.kernel = reference::ScoreKind::distance;
    expect_reference("copy", Targets::last, shape);
  }
}

TEST(AnswerObservables, OfBlocksEqualPlainLoops) {
  for (const bool tied : {true, false}) {
    reference::TransformerShape shape;
    shape.inputs = shape.outputs = 7;
    shape.context = 4;
    shape.first_asked = 3;
    shape.width = 6;
    shape.layers = 2;
    shape.heads = 2;
    shape.head_width = 3;
    shape.positions = reference::Positions::learned;
    shape.output = shape.residual = shape.norm = shape.biases = true;
    shape.tied = tied;
    shape.mlp = reference::TransformerShape::Mlp::gelu;
    Answered answered(small("copy", reference::config_of(shape)));
    reference::Matrices<double> matrices;
    for (const WeightView& view : answered.run.weights())
      matrices[view.name] = {view.values.begin(), view.values.end()};
    const reference::TransformerReference<double> network(shape, matrices);
    expect_answers(answered, [&](const std::vector<int>& tokens) {
      reference::TransformerBatch batch;
      batch.samples = 1;
      batch.tokens = tokens;
      return network.outputs(batch, 0);
    });
  }
}

// Whatever the task, the tokens together are what the test says of all answers.
TEST(AnswerObservables, AddUpToTheTest) {
  std::vector<RunConfig> runs;
  for (const char* task : {"copy", "nearest", "unigram", "bigram"}) runs.push_back(small(task, NetworkConfig{}));
  runs[2].data.bos = true;
  runs[3].data.targets = Targets::every;
  runs.push_back(small_recall());
  runs.push_back(small("copy", NetworkConfig{}));
  runs.back().data.split = 0.5;
  RunConfig chain = small("markov", NetworkConfig{});  // answers are distributions
  chain.data.chain = ChainKind::ring;
  chain.data.vocab = 12;
  chain.data.context = 3;
  chain.data.split = 0.5;
  runs.push_back(chain);
  for (const RunConfig& config : runs) {
    SCOPED_TRACE(config.data.task);
    Answered answered(config);
    const BatchResult test = answered.run.test();
    const Answers& answers = answered.probes.answers();
    double asked = 0, losses = 0, right = 0, rows = 0;
    const size_t count = answers.asked.size();
    for (size_t v = 0; v < count; ++v) {
      asked += answers.asked[v];
      losses += answers.losses[v];
      right += answers.confusion[v * count + v];
      for (size_t w = 0; w < count; ++w) rows += answers.confusion[v * count + w];
    }
    EXPECT_NEAR(losses / asked, test.loss, 1e-5);
    EXPECT_NEAR(right / asked, test.accuracy, 1e-6);
    EXPECT_NEAR(rows, asked, 1e-9 * asked);
    EXPECT_NEAR(answers.total, asked, 1e-9 * asked);
    EXPECT_GE(answered("loss.test.largest")[0], test.loss);
    EXPECT_GE(answered("context_mass.test")[0], 0);
    EXPECT_LE(answered("context_mass.test")[0], 1 + 1e-12);
  }
}

// Logits of every network, the fused unembedding's included: their softmax has the loss of the probe's answers.
TEST(AnswerObservables, EveryNetworkShowsItsLogits) {
  RunConfig harmonic = small("copy", NetworkConfig{});
  harmonic.network.logits = ::atto::Logits::harmonic;
  for (const RunConfig& config : {small("copy", NetworkConfig{}), harmonic, small_recall(), small_regression()}) {
    Answered answered(config);
    const std::vector<double> outputs = answered("probe.outputs");
    const BatchShape& shape = answered.run.task().shape();
    const auto size = static_cast<size_t>(shape.vectors() ? shape.outputs : shape.vocabulary);
    ASSERT_EQ(outputs.size(), NetworkProbes::kShown * size);
    for (const double one : outputs) EXPECT_TRUE(std::isfinite(one));
    EXPECT_GT(*std::max_element(outputs.begin(), outputs.end()), *std::min_element(outputs.begin(), outputs.end()));
  }
}

TEST(AnswerObservables, AreLeftOutWhereTheyDoNotFit) {
  const auto offered = [](const RunConfig& config, const std::string& address) {
    for (const Observable& offer : all_observables(RunSpec(config)))
      if (offer.address == address) return true;
    return false;
  };
  RunConfig large = small("copy", NetworkConfig{});
  large.data.vocab = AnswersProbe::kMostConfused + 1;
  EXPECT_FALSE(offered(large, "confusion.test"));
  EXPECT_TRUE(offered(large, "loss.test.by_token"));
  large.data.vocab = AnswersProbe::kMostConfused;
  EXPECT_TRUE(offered(large, "confusion.test"));
  EXPECT_FALSE(offered(small_regression(), "loss.test.by_token")) << "vectors";
}

}  // namespace
}  // namespace atto::answer_observables_test
