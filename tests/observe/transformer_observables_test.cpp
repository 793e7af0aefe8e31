// What is measured on transformers: laws that hold for any network, and what training brings about.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "network_run.h"
#include "observe/observable.h"
#include "training/transformer_runs.h"

namespace atto::transformer_observables_test {
namespace {

class Observed {
 public:
  explicit Observed(const RunConfig& config) : trainer(config) {}

  double operator()(const std::string& address) {
    const BatchResult batch = trainer.evaluate();
    for (const Observable& offer : all_observables(trainer.spec())) {
      if (offer.address != address) continue;
      EXPECT_TRUE(offer.shape.empty()) << address;
      double out = -1;
      std::get<MeasureNetwork>(offer.measure)({trainer.trainer(), batch, probes}, &out);
      return out;
    }
    ADD_FAILURE() << "no " << address;
    return -1;
  }
  void train(int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) {
      trainer.evaluate();
      trainer.update();
    }
  }

  NetworkRun trainer;
  NetworkProbes probes{trainer};
};

TEST(TransformerObservables, ALayerIsTheMeanOfItsHeads) {
  Observed recall(small_recall()), regression(small_regression());
  for (const std::string what : {"entropy", "query_to_value", "value_to_key", "previous", "induction", "sink"}) {
    double sum = 0;
    for (const char* head : {"0", "1", "2"}) sum += recall("layer.1.head." + std::string(head) + "." + what);
    EXPECT_NEAR(recall("layer.1.attention." + what), sum / 3, 1e-6) << what;
  }
  EXPECT_NEAR(regression("layer.0.attention.relevant"),
              (regression("layer.0.head.0.relevant") + regression("layer.0.head.1.relevant")) / 2, 1e-6);
  double highest = 0;
  for (const char* head : {"layer.0.head.0", "layer.0.head.1", "layer.1.head.0", "layer.1.head.1"})
    highest = std::max(highest, regression(head + std::string(".relevant")));
  EXPECT_EQ(regression("attention.relevant"), highest);
}

// With all weights 0 attention is uniform: the last query gives each of C = 9 positions 1/9, and a value at position i
// gives its key 1/(i + 1).
TEST(TransformerObservables, OfUniformAttentionAreKnown) {
  RunConfig config = small_recall();
  config.network.init_scale = 0;
  config.network.position_bias = BiasKind::none;
  Observed observed(config);
  EXPECT_NEAR(observed("layer.0.attention.query_to_value"), 1.0 / 9, 1e-6);
  const double mean = (1.0 / 2 + 1.0 / 4 + 1.0 / 6 + 1.0 / 8) / 4;
  EXPECT_NEAR(observed("layer.0.attention.value_to_key"), mean, 0.03) << "over random slots";
  EXPECT_NEAR(observed("layer.1.attention.entropy"), std::log(9.0), 1e-5);
}

// Attention is found where the stack has it, and every matrix under the number of its block.
TEST(TransformerObservables, FollowTheStack) {
  RunConfig config = small_recall();
  config.network.layers = 1;
  config.network.stack = {"mlp", "attention", "linear"};
  config.network.normalizer = Normalizer::sink;
  config.network.gate = true;
  const RunSpec spec(config);
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const Observable& one : all_observables(spec)) shapes[one.address] = {one.shape.begin(), one.shape.end()};
  for (const char* address :
       {"layer.0.mlp.in", "layer.1.query", "layer.1.gate", "layer.1.linear", "layer.1.sink", "blocks.1.linear.W",
        "layer.1.attention.pattern", "layer.1.attention.entropy", "layer.1.head.2.induction"})
    EXPECT_TRUE(shapes.contains(address)) << address;
  for (const char* address : {"layer.0.query", "layer.0.attention.pattern", "layer.1.mlp.in", "layer.2.query"})
    EXPECT_FALSE(shapes.contains(address)) << address;
  EXPECT_EQ(shapes["layer.1.sink"], (std::vector<int64_t>{1, 3}));
  config.network.normalizer = Normalizer::linear;
  for (const Observable& one : all_observables(RunSpec(config)))
    EXPECT_NE(one.address, "layer.1.attention.entropy") << "its weights are no shares";
}

// With one added to the sum and all scores 0, a query that sees k keys gives each 1/(k + 1).
TEST(TransformerObservables, OneAddedToTheSumTakesItsShare) {
  RunConfig config = small_recall();
  config.network.init_scale = 0;
  config.network.position_bias = BiasKind::none;
  config.network.normalizer = Normalizer::plus_one;
  Observed observed(config);
  EXPECT_NEAR(observed("layer.0.attention.query_to_value"), 1.0 / 10, 1e-6);
  config.network.mask = Mask::earlier;
  Observed earlier(config);
  EXPECT_NEAR(earlier("layer.0.attention.query_to_value"), 1.0 / 9, 1e-6);
  EXPECT_EQ(earlier("layer.0.attention.diagonal"), 0);
}

TEST(TransformerObservables, ResponseOfAnUntrainedAndOfATrainedNetwork) {
  RunConfig config = small_regression();
  config.data.repeat = 1;
  config.data.cross = 0;
  config.network.width = 16;
  config.training.rate = 3e-3;
  Observed observed(config);
  EXPECT_LT(std::abs(observed("weight.alignment")), 0.7);
  observed.train(1200);
  EXPECT_LT(observed("loss.test"), 0.05);
  EXPECT_NEAR(observed("weight.share"), 1, 0.15);
  EXPECT_GT(observed("weight.alignment"), 0.97);
  EXPECT_NEAR(observed("attention.effective"), 1, 0.1);
}

// ‖W* x̃‖ = 1 and ‖W*‖² = d, so the share of everything is made of that of x̃ and that of the rest. Both are 1 when W* is
// learnt, and are two different numbers before.
TEST(TransformerObservables, TheRepeatedVectorIsToldFromTheRest) {
  RunConfig config = small_regression();
  config.data.repeat = 1;
  config.data.cross = 0.5;
  config.network.width = 16;
  config.training.rate = 3e-3;
  const auto d = static_cast<double>(config.data.dimension);
  Observed observed(config);
  const auto whole = [&] { return observed("weight.share.repeated") + (d - 1) * observed("weight.share.rest"); };
  EXPECT_NEAR(d * observed("weight.share"), whole(), 1e-4);
  EXPECT_GT(std::abs(observed("weight.share.repeated") - observed("weight.share.rest")), 1e-3);
  observed.train(500);
  EXPECT_NEAR(d * observed("weight.share"), whole(), 1e-4);
  EXPECT_NEAR(observed("weight.share.repeated"), 1, 0.2);
  EXPECT_NEAR(observed("weight.share.rest"), 1, 0.2);

  config.data.cross = 0;
  for (const Observable& offer : all_observables(RunSpec(config)))
    EXPECT_NE(offer.address, "weight.share.repeated") << "nothing repeats";
}

// A network that cannot attend by content or place lets 1/C of a token through: with position biases of 0 alone,
// attention is uniform, and without residuals and MLP the answer is linear in the mean token.
TEST(TransformerObservables, UniformAttentionLetsTheShareOfOnePositionThrough) {
  RunConfig config = small_regression();
  config.network.layers = config.network.heads = 1;
  config.network.residual = false;
  config.network.mlp = "none";
  config.network.kernel = "none";
  config.network.position_bias = BiasKind::free;
  Observed observed(config);
  EXPECT_NEAR(observed("attention.effective"), 1.0 / 6, 1e-4);
  EXPECT_NEAR(observed("layer.0.attention.relevant"), 1.0 / 6, 1e-6);
}

TEST(TransformerObservables, VectorsHaveNoPerplexity) {
  const RunSpec spec(small_regression());
  for (const Observable& offer : all_observables(spec)) {
    EXPECT_EQ(offer.address.find("perplexity"), std::string::npos) << offer.address;
    EXPECT_EQ(offer.address.find("accuracy"), std::string::npos) << offer.address;
  }
}

}  // namespace
}  // namespace atto::transformer_observables_test
