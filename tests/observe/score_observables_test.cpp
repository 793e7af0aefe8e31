// Scores before the softmax: against plain loops, and against the weights that follow from them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "network_run.h"
#include "observe/observable.h"
#include "reference/engine.h"

namespace atto::score_observables_test {
namespace {

class Scored {
 public:
  explicit Scored(const RunConfig& config) : run(config) {
    run.evaluate();
    run.advance(2);
  }

  std::vector<double> operator()(const std::string& address) {
    for (const Observable& offer : all_observables(run.spec())) {
      if (offer.address != address) continue;
      std::vector<double> out(static_cast<size_t>(offer.shape.at(0)), -1.0);
      std::get<MeasureNetwork>(offer.measure)({run.trainer(), BatchResult{}, probes}, out.data());
      return out;
    }
    ADD_FAILURE() << "no " << address;
    return {};
  }

  NetworkRun run;
  NetworkProbes probes{run};
};

// The score of a query on a key of one probe sequence, by plain loops.
using Score = std::function<double(const std::vector<int>& tokens, int query, int key)>;

void expect_scores(Scored& scored, const std::string& address, const Score& score) {
  Probe& probe = scored.probes.many();
  const int context = probe.context(), first = scored.run.network().first_asked();
  const auto vocabulary = static_cast<size_t>(scored.run.network().vocabulary());
  std::vector<double> sums(vocabulary), times(vocabulary);
  for (int s = 0; s < probe.sequences(); ++s) {
    std::vector<int> tokens;
    for (int t = 0; t < context; ++t) tokens.push_back(probe.tokens()[t * probe.sequences() + s]);
    for (int i = first; i < context; ++i)
      for (int j = 0; j < (probe.mask().causal ? i + 1 : context); ++j) {
        sums[static_cast<size_t>(tokens[static_cast<size_t>(j)])] += score(tokens, i, j);
        times[static_cast<size_t>(tokens[static_cast<size_t>(j)])] += 1;
      }
  }
  const std::vector<double> found = scored(address);
  ASSERT_EQ(found.size(), vocabulary);
  double size = 0;
  for (size_t v = 0; v < vocabulary; ++v)
    if (times[v] > 0) size = std::max(size, std::abs(sums[v] / times[v]));
  EXPECT_GT(size, 1e-3) << "something to see";
  for (size_t v = 0; v < vocabulary; ++v) {
    if (times[v] == 0) EXPECT_TRUE(std::isnan(found[v])) << v;
    else EXPECT_NEAR(found[v], sums[v] / times[v], 1e-5 * (1 + size)) << v;
  }
}

RunConfig small(const NetworkConfig& network, Targets targets) {
  RunConfig config;
  config.data.task = "copy";
  config.data.vocab = 7;
  config.data.context = 4;
  config.data.targets = targets;
  config.network = network;
  config.network.init_scale = 2;
  config.training.rate = 0.05;
  config.training.batch = 32;
  return config;
}

// One head of every form, narrow and wide.
TEST(ScoreObservables, OfOneHeadEqualPlainLoops) {
  for (const auto kind : {reference::ScoreKind::dot, reference::ScoreKind::distance, reference::ScoreKind::inverse})
    for (const int width : {2, 6})
      for (const Targets targets : {Targets::last, Targets::every}) {
        reference::Shape shape;
        shape.vocab = 7;
        shape.context = 4;
        shape.width = width;
        shape.kernel = kind;
        shape.kernel_power = 3;
        shape.causal = width == 2;
        shape.positions = reference::Positions::learned;
        SCOPED_TRACE(std::string(reference::name_of(kind)) + ", width " + std::to_string(width));
        Scored scored(small(reference::config_of(shape), targets));
        const auto parameters = reference::unpack(scored.run.network(), shape, scored.run.parameters());
        expect_scores(scored, "layer.0.attention.score_by_token", [&](const std::vector<int>& tokens, int i, int j) {
          const reference::Sequences one{1, 0, 4, tokens, std::vector<int>(4), std::vector<double>(4, 1.0)};
          reference::Activations<double> act(shape);
          reference::forward(shape, parameters, one, 0, act);
          return reference::score_forward(shape.attention(), &reference::at(act.q, width, i, 0),
                                          &reference::at(act.k, width, j, 0), width);
        });
      }
}

// Two heads with biases and slopes: q·k/√K - m |i - j|, each by itself and as their mean.
TEST(ScoreObservables, OfHeadsEqualPlainLoops) {
  constexpr int kWidth = 6, kHeads = 2, kKeys = 3;
  NetworkConfig network;
  network.width = kWidth;
  network.heads = kHeads;
  network.biases = network.output = true;
  network.position_bias = BiasKind::slope;
  Scored scored(small(network, Targets::last));
  const auto weight = [&](const std::string& name, int index) {
    return static_cast<double>(
        scored.run.parameters()[scored.run.network().find(name)->offset + static_cast<size_t>(index)]);
  };
  const auto projected = [&](const std::string& which, int token, int feature) {
    double sum = weight("blocks.0.attn.b_" + which, feature);
    for (int d = 0; d < kWidth; ++d)
      sum += weight("blocks.0.attn.W_" + which, feature * kWidth + d) * weight("W_E", token * kWidth + d);
    return sum;
  };
  const auto of_head = [&](int head) {
    return [&, head](const std::vector<int>& tokens, int i, int j) {
      double sum = 0;
      for (int k = head * kKeys; k < (head + 1) * kKeys; ++k)
        sum += projected("Q", tokens[static_cast<size_t>(i)], k) * projected("K", tokens[static_cast<size_t>(j)], k);
      return sum / std::sqrt(kKeys) - weight("blocks.0.attn.slope", head) * std::abs(i - j);
    };
  };
  expect_scores(scored, "layer.0.head.0.score_by_token", of_head(0));
  expect_scores(scored, "layer.0.head.1.score_by_token", of_head(1));
  expect_scores(scored, "layer.0.attention.score_by_token", [&](const std::vector<int>& tokens, int i, int j) {
    return (of_head(0)(tokens, i, j) + of_head(1)(tokens, i, j)) / 2;
  });
}

// Keys that no query sees have no score: with a window of 1 the last query scores two positions.
TEST(ScoreObservables, OfUnseenKeysDoNotCount) {
  NetworkConfig network;
  network.width = 4;
  network.window = 1;
  RunConfig config = small(network, Targets::last);
  config.data.vocab = 500;  // most tokens stand in few probes
  Scored scored(config);
  const Probe& probe = scored.probes.many();
  std::vector<bool> seen(500);
  for (int s = 0; s < probe.sequences(); ++s)
    for (const int t : {2, 3}) seen[static_cast<size_t>(probe.tokens()[t * probe.sequences() + s])] = true;
  const std::vector<double> found = scored("layer.0.attention.score_by_token");
  for (size_t v = 0; v < 500; ++v) EXPECT_EQ(!std::isnan(found[v]), seen[v]) << v;
}

}  // namespace
}  // namespace atto::score_observables_test
