// Who receives attention: laws that hold for any network, and networks set by hand whose attention is known.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "network_run.h"
#include "observe/observable.h"

namespace atto {
namespace {

const std::string kAttention = "layer.0.attention.";

// A run at its start, with parameters one may set, and everything it offers.
class Observed {
 public:
  explicit Observed(const RunConfig& config) : trainer_(config), weights_(trainer_.snapshot()) {}

  // Row-major values of a matrix of this network.
  void set(const std::string& name, const std::vector<float>& values) {
    const Matrix& matrix = *trainer_.network().find(name);
    ASSERT_EQ(values.size(), matrix.size()) << name;
    std::copy(values.begin(), values.end(), weights_.parameters.begin() + static_cast<ptrdiff_t>(matrix.offset));
    trainer_.restore(weights_);
  }

  std::vector<double> values(const std::string& statistic) {
    for (const Observable& offer : all_observables(trainer_.spec())) {
      if (offer.address != kAttention + statistic) continue;
      size_t count = 1;
      for (const int64_t size : offer.shape) count *= static_cast<size_t>(size);
      std::vector<double> out(count, -1.0);
      const BatchResult batch;
      std::get<MeasureNetwork>(offer.measure)({trainer_.trainer(), batch, probes_}, out.data());
      return out;
    }
    ADD_FAILURE() << "no " << statistic;
    return {};
  }
  double value(const std::string& statistic) { return values(statistic).front(); }

  int sequences() { return probes_.many().sequences(); }
  int token(int sequence, int position) {
    const Probe& probe = probes_.many();
    return probe.tokens()[position * probe.sequences() + sequence];
  }

 private:
  NetworkRun trainer_;
  Snapshot weights_;
  NetworkProbes probes_{trainer_};
};

std::vector<float> diagonal(int size, float value) {
  std::vector<float> matrix(static_cast<size_t>(size * size));
  for (int i = 0; i < size; ++i) matrix[static_cast<size_t>(i * size + i)] = value;
  return matrix;
}

RunConfig run_of(const std::string& task, const std::string& targets, int64_t context) {
  RunConfig config;
  config.data.task = task;
  config.data.targets = from_word<Targets>(targets);
  config.data.vocab = 7;
  config.data.context = context;
  config.network.width = 3;
  config.training.batch = 16;
  return config;
}

std::vector<RunConfig> variety() {
  std::vector<RunConfig> all;
  for (const std::string task : {"copy", "nearest", "unigram", "bigram"})
    for (const std::string targets : {"last", "every"})
      for (const std::string mask : {"causal", "full"}) {
        RunConfig config = run_of(task, targets, 5);
        config.network.mask = from_word<Mask>(mask);
        config.network.kernel = task == "nearest" ? "distance" : task == "unigram" ? "inverse" : "dot";
        config.network.init_scale = 3;  // attention far from flat
        config.data.bos = task == "unigram";
        all.push_back(config);
      }
  return all;
}

TEST(AttentionStatistics, ObeyTheirLaws) {
  for (const RunConfig& config : variety()) {
    SCOPED_TRACE(config.data.task + ", " + to_word(config.data.targets) + ", " + to_word(config.network.mask));
    Observed run(config);
    const int context = static_cast<int>(config.data.context);

    double by_position = 0;
    for (const double received : run.values("received_by_position")) {
      EXPECT_GE(received, 0);
      by_position += received;
    }
    EXPECT_NEAR(by_position, context, 1e-5) << "each query gives 1 away";

    std::map<int, int> occurrences;
    for (int s = 0; s < run.sequences(); ++s)
      for (int i = 0; i < context; ++i) ++occurrences[run.token(s, i)];
    double by_token = 0;
    const auto received = run.values("received_by_token");
    EXPECT_EQ(received.size(), config.data.bos ? 8u : 7u);
    for (const auto& [token, times] : occurrences) by_token += received.at(static_cast<size_t>(token)) * times;
    EXPECT_NEAR(by_token / (run.sequences() * context), 1, 1e-6) << "the mean over occurrences";

    for (const char* mass : {"sink", "diagonal", "identical", "answer"}) {
      EXPECT_GE(run.value(mass), 0) << mass;
      EXPECT_LE(run.value(mass), 1 + 1e-6) << mass;
    }
    EXPECT_GE(run.value("identical"), run.value("diagonal") - 1e-9);
  }
}

TEST(AttentionStatistics, ATokenWithoutOccurrenceHasNoShare) {
  RunConfig config = run_of("unigram", "every", 4);
  config.data.exponent = 20;  // all but the first are never drawn
  Observed run(config);
  const auto received = run.values("received_by_token");
  EXPECT_NEAR(received[0], 1, 1e-6);
  for (size_t v = 1; v < received.size(); ++v) EXPECT_TRUE(std::isnan(received[v])) << v;
}

// Without a query all scores are 0, and query i gives 1/(i+1) to each position it sees.
TEST(AttentionStatistics, FlatAttentionSharesEvenly) {
  for (const std::string targets : {"last", "every"}) {
    RunConfig config = run_of("unigram", targets, 5);
    config.data.bos = true;
    Observed causal(config);
    causal.set("blocks.0.attn.W_Q", std::vector<float>(9));
    const auto received = causal.values("received_by_position");
    for (int j = 0; j < 5; ++j) {
      double expected = 0;
      for (int i = j; i < 5; ++i) expected += 1.0 / (i + 1);
      EXPECT_NEAR(received[static_cast<size_t>(j)], expected, 1e-6) << j;
    }
    EXPECT_NEAR(causal.values("received_by_token").back(), received[0], 1e-6) << "[BOS] is the first position";
    EXPECT_NEAR(causal.value("sink"), (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5) / 4, 1e-6);
    const double asked = targets == "last" ? 1.0 / 5 : received[0] / 5;  // Σ 1/(i+1) over the asked queries, per query
    EXPECT_NEAR(causal.value("diagonal"), asked, 1e-6);

    config.network.mask = Mask::full;
    Observed full(config);
    full.set("blocks.0.attn.W_Q", std::vector<float>(9));
    for (const double share : full.values("received_by_position")) EXPECT_NEAR(share, 1, 1e-6);
    EXPECT_NEAR(full.value("sink"), 0.2, 1e-6);
    EXPECT_NEAR(full.value("diagonal"), 0.2, 1e-6);
  }
}

// One-hot tokens and a strong W_Q: a query sees nothing but its own token, shared evenly among its occurrences.
TEST(AttentionStatistics, AttentionToTheSameTokenIsIdenticalMass) {
  RunConfig config = run_of("copy", "every", 5);
  config.network.width = 7;
  Observed run(config);
  run.set("W_E", diagonal(7, 1));
  run.set("blocks.0.attn.W_Q", diagonal(7, 300));
  run.set("blocks.0.attn.W_K", diagonal(7, 1));
  double own = 0;
  for (int s = 0; s < run.sequences(); ++s)
    for (int i = 0; i < 5; ++i) {
      int same = 0;
      for (int j = 0; j <= i; ++j) same += run.token(s, j) == run.token(s, i);
      own += 1.0 / same;
    }
  EXPECT_NEAR(run.value("identical"), 1, 1e-6);
  EXPECT_NEAR(run.value("answer"), 1, 1e-6) << "the answer is the token itself";
  EXPECT_NEAR(run.value("diagonal"), own / (run.sequences() * 5), 1e-6);
  EXPECT_LT(run.value("diagonal"), 0.95);
}

// One-hot positions and a W_Q that turns position i into i - 1: a previous-token head.
TEST(AttentionStatistics, APreviousTokenHeadHasTheAnswerMass) {
  for (const std::string targets : {"last", "every"}) {
    RunConfig config = run_of("copy", targets, 5);
    config.data.offset = 1;
    config.network.width = 5;
    config.network.positions = PositionKind::learned;
    Observed run(config);
    std::vector<float> back(25);
    for (int i = 1; i < 5; ++i) back[static_cast<size_t>((i - 1) * 5 + i)] = 300;
    run.set("W_E", std::vector<float>(7 * 5));
    run.set("W_pos", diagonal(5, 1));
    run.set("blocks.0.attn.W_Q", back);
    run.set("blocks.0.attn.W_K", diagonal(5, 1));

    const int first = targets == "last" ? 4 : 1;
    double repeated = 0;
    for (int s = 0; s < run.sequences(); ++s)
      for (int i = first; i < 5; ++i) repeated += run.token(s, i) == run.token(s, i - 1);
    EXPECT_NEAR(run.value("answer"), 1, 1e-6);
    EXPECT_NEAR(run.value("diagonal"), 0, 1e-6);
    EXPECT_NEAR(run.value("identical"), repeated / (run.sequences() * (5 - first)), 1e-6);
    EXPECT_NEAR(run.value("sink"), 0.25, 1e-6) << "of the four later queries one looks at the first position";
    const auto received = run.values("received_by_position");
    const double expected[5] = {2, 1, 1, 1, 0};  // the first has no previous one and looks at itself
    for (size_t j = 0; j < 5; ++j) EXPECT_NEAR(received[j], expected[j], 1e-6) << j;
  }
}

// Everybody looks at [BOS], whose key alone is not zero.
TEST(AttentionStatistics, ASinkTakesAll) {
  RunConfig config = run_of("unigram", "every", 6);
  config.data.bos = true;
  config.network.width = 2;
  Observed run(config);
  std::vector<float> embedding(16);
  for (int v = 0; v < 8; ++v) embedding[static_cast<size_t>(2 * v)] = 1;  // what queries read, the same for all
  embedding[15] = 1;                                                      // what keys read, [BOS] only
  run.set("W_E", embedding);
  run.set("blocks.0.attn.W_Q", {0, 0, 300, 0});
  run.set("blocks.0.attn.W_K", {0, 0, 0, 1});
  EXPECT_NEAR(run.value("sink"), 1, 1e-6);
  EXPECT_NEAR(run.values("received_by_position").front(), 6, 1e-5);
  const auto received = run.values("received_by_token");
  EXPECT_NEAR(received.back(), 6, 1e-5);
  for (size_t v = 0; v < 7; ++v) EXPECT_NEAR(received[v], 0, 1e-6) << v;
  EXPECT_NEAR(run.value("diagonal"), 1.0 / 6, 1e-6) << "[BOS] itself";
  EXPECT_NEAR(run.value("answer"), 0, 1e-6) << "[BOS] is never the answer";
}

TEST(AttentionStatistics, OnePositionHasNoSink) {
  const RunSpec spec(run_of("copy", "last", 1));
  for (const Observable& offer : all_observables(spec)) EXPECT_NE(offer.address, kAttention + "sink");
}

}  // namespace
}  // namespace atto
