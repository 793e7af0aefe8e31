// The bigram task against its transition matrix, formed here from the definition.
#include <gtest/gtest.h>

#include <cmath>

#include "base/fields.h"
#include "data/alias_table.h"
#include "data/tasks/drawn.h"
#include "kernels/random.h"

namespace atto {
namespace {

DataConfig bigram_config(int64_t vocab = 6, int64_t context = 5, bool bos = false,
                         const std::string& targets = "every") {
  DataConfig config;
  config.task = "bigram";
  config.vocab = vocab;
  config.context = context;
  config.bos = bos;
  config.targets = from_word<Targets>(targets);
  return config;
}

using Rows = std::vector<std::vector<double>>;

// P = row-softmax(scale · A diag(weights) B / √R)
Rows transitions(const DataConfig& config, const std::vector<double>& weights) {
  const auto V = static_cast<uint32_t>(config.vocab), R = static_cast<uint32_t>(config.rank);
  const auto table = static_cast<uint64_t>(config.table);
  Rows P(V, std::vector<double>(V));
  for (uint32_t i = 0; i < V; ++i) {
    double total = 0;
    for (uint32_t j = 0; j < V; ++j) {
      double logit = 0;
      for (uint32_t k = 0; k < R; ++k)
        logit += standard_normal(table, Purpose::table, 0, i * R + k) * weights[k] *
                 standard_normal(table, Purpose::table, 1, k * V + j);
      total += P[i][j] = std::exp(config.scale * logit / std::sqrt(R));
    }
    for (double& p : P[i]) p /= total;
  }
  return P;
}
Rows transitions(const DataConfig& config) {
  return transitions(config, std::vector<double>(static_cast<size_t>(config.rank), 1.0));
}

double conditional_entropy(const std::vector<double>& pi, const Rows& P) {
  double sum = 0;
  for (size_t i = 0; i < pi.size(); ++i) sum += pi[i] * entropy(P[i]);
  return sum;
}

TEST(BigramTask, FrequenciesAreStationary) {
  for (const int64_t table : {1, 2, 3}) {
    for (const double scale : {0.0, 1.0, 5.0}) {
      DataConfig config = bigram_config(10);
      config.table = table;
      config.scale = scale;
      const Rows P = transitions(config);
      const auto pi = make_task(config)->frequencies();
      double total = 0;
      for (size_t j = 0; j < 10; ++j) {
        double next = 0;
        for (size_t i = 0; i < 10; ++i) next += pi[i] * P[i][j];
        EXPECT_NEAR(next, pi[j], 1e-12) << "table " << table << ", scale " << scale << ", token " << j;
        total += pi[j];
      }
      EXPECT_NEAR(total, 1, 1e-12);
    }
  }
}

// Every position, the first included, has the stationary distribution, and every step is one of P.
TEST(BigramTask, DrawsFollowTheMatrix) {
  for (const bool bos : {false, true}) {
    const DataConfig config = bigram_config(6, 5, bos);
    const Rows P = transitions(config);
    const auto pi = make_task(config)->frequencies();
    std::vector<std::vector<int>> at(6, std::vector<int>(6)), after(6, std::vector<int>(6));
    int tokens_seen = 0;
    for (uint64_t step = 0; step < 150; ++step) {
      const Drawn drawn(config, 31, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) {
        auto tokens = drawn.sequence(lane);
        if (bos) tokens.erase(tokens.begin());
        tokens.push_back(drawn.answers(lane).back());
        tokens_seen = static_cast<int>(tokens.size());
        for (int i = 0; i < tokens_seen; ++i) {
          ++at[i][tokens[i]];
          if (i > 0) ++after[tokens[i - 1]][tokens[i]];
        }
      }
    }
    EXPECT_EQ(tokens_seen, bos ? 5 : 6);
    for (int i = 0; i < tokens_seen; ++i) EXPECT_LT(chi_square(at[i], pi), 20.52) << "position " << i;  // 5 degrees
    for (int token = 0; token < 6; ++token) EXPECT_LT(chi_square(after[token], P[token]), 20.52) << "after " << token;
  }
}

TEST(BigramTask, BosOpensEverySequence) {
  for (const int context : {1, 2, 4, 7}) {
    const Drawn with(bigram_config(6, context, true), 3, 5, 0, 32, 20);
    const Drawn without(bigram_config(6, context, false), 3, 5, 0, 32, 20);
    EXPECT_EQ(with.task->vocabulary(), 7);
    EXPECT_EQ(with.task->frequencies().size(), 6u);
    for (int lane = 0; lane < 32; ++lane) {
      const auto tokens = with.sequence(lane), answers = with.answers(lane);
      EXPECT_EQ(tokens[0], 6);
      for (int i = 1; i < context; ++i) ASSERT_EQ(tokens[i], answers[i - 1]);
      EXPECT_EQ(answers, without.sequence(lane));
      const auto plain_answers = without.answers(lane);
      for (int i = 0; i + 1 < context; ++i) ASSERT_EQ(plain_answers[i], answers[i + 1]);
    }
  }
}

TEST(BigramTask, BestLossIsTheConditionalEntropy) {
  const DataConfig plain = bigram_config(10, 8);
  const auto pi = make_task(plain)->frequencies();
  const double conditional = conditional_entropy(pi, transitions(plain)), opening = entropy(pi);
  ASSERT_LT(conditional, opening - 0.1) << "the context must help for this to be a test";
  EXPECT_NEAR(*make_task(plain)->best_loss(), conditional, 1e-12);
  EXPECT_NEAR(*make_task(bigram_config(10, 8, false, "last"))->best_loss(), conditional, 1e-12);
  EXPECT_NEAR(*make_task(bigram_config(10, 8, true, "last"))->best_loss(), conditional, 1e-12);
  // After [BOS] nothing is known yet: one answer in eight costs the entropy of the frequencies.
  EXPECT_NEAR(*make_task(bigram_config(10, 8, true))->best_loss(), (7 * conditional + opening) / 8, 1e-12);
  EXPECT_NEAR(*make_task(bigram_config(10, 1, true, "last"))->best_loss(), opening, 1e-12);
  for (const bool bos : {false, true})
    EXPECT_NEAR(reference_loss(*make_task(bigram_config(10, 8, bos)), "without_context"), opening, 1e-12);
}

// What a predictor that knows the matrix loses on draws.
TEST(BigramTask, BestLossIsReachedByTheMatrix) {
  for (const bool bos : {false, true}) {
    const DataConfig config = bigram_config(10, 8, bos);
    Rows P = transitions(config);
    P.push_back(make_task(config)->frequencies());  // after [BOS]
    std::vector<double> losses;
    for (uint64_t step = 0; step < 60; ++step) {
      const Drawn drawn(config, 41, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) {
        const auto tokens = drawn.sequence(lane), answers = drawn.answers(lane);
        double sum = 0;
        for (size_t i = 0; i < tokens.size(); ++i) sum -= std::log(P[tokens[i]][answers[i]]);
        losses.push_back(sum / static_cast<double>(tokens.size()));
      }
    }
    double mean = 0, square = 0;
    for (const double loss : losses) mean += loss / static_cast<double>(losses.size());
    for (const double loss : losses) square += (loss - mean) * (loss - mean) / static_cast<double>(losses.size());
    EXPECT_NEAR(mean, *make_task(config)->best_loss(), 3.5 * std::sqrt(square / static_cast<double>(losses.size())));
  }
}

TEST(BigramTask, WeightsScaleTheRanks) {
  DataConfig config = bigram_config(8);
  const auto best_of = [](const DataConfig& one, const std::vector<double>& weights) {
    return conditional_entropy(make_task(one)->frequencies(), transitions(one, weights));
  };
  for (const std::string text : {"2, 0.5, 0", "2,0.5,0", "  2  ,0.5,  0.0 ", "2e0,5e-1,0"}) {
    config.rank_weights = text;
    EXPECT_NEAR(*make_task(config)->best_loss(), best_of(config, {2, 0.5, 0}), 1e-12) << text;
  }
  config.rank_weights = "-1,-1,-1";
  EXPECT_NEAR(*make_task(config)->best_loss(), best_of(config, {-1, -1, -1}), 1e-12);

  // Nothing left of the logits: uniform.
  config.rank_weights = "0, 0, 0";
  EXPECT_NEAR(*make_task(config)->best_loss(), std::log(8), 1e-12);
  config.rank_weights = "";
  config.scale = 0;
  EXPECT_NEAR(*make_task(config)->best_loss(), std::log(8), 1e-12);

  config.scale = 2;
  config.rank = 8;
  EXPECT_NEAR(*make_task(config)->best_loss(), best_of(config, std::vector<double>(8, 1.0)), 1e-12) << "full rank";
}

TEST(BigramTask, ExtremeLogitsStayProbabilities) {
  DataConfig config = bigram_config(6);
  config.scale = 1000;
  const auto task = make_task(config);
  double total = 0;
  for (const double p : task->frequencies()) {
    EXPECT_TRUE(p >= 0 && p <= 1);
    total += p;
  }
  EXPECT_NEAR(total, 1, 1e-9);
  EXPECT_TRUE(*task->best_loss() >= 0 && *task->best_loss() < 0.1);
}

TEST(BigramTask, TablesDiffer) {
  DataConfig other = bigram_config();
  other.table = 2;
  EXPECT_NE(make_task(bigram_config())->frequencies(), make_task(other)->frequencies());
  EXPECT_EQ(make_task(bigram_config())->frequencies(), make_task(bigram_config())->frequencies());
}

TEST(BigramTask, IsIndependentOfTiling) {
  for (const bool bos : {false, true})
    for (const std::string targets : {"last", "every"})
      expect_independence_of_tiling(bigram_config(20, 7, bos, targets));
}

TEST(BigramTask, RefusesWhatCannotWork) {
  DataConfig config = bigram_config(6);
  config.rank = 7;
  expect_refusal(config, "data.rank = 7 is above data.vocab = 6: a V×V matrix has at most rank V",
                 "lower data.rank or raise data.vocab");
  config.rank = 6;
  EXPECT_NO_THROW(describe_task(config));

  config = bigram_config(6);
  config.exponent = 1;
  expect_refusal(config, "data.exponent sets the frequencies of independent tokens; bigram has its own",
                 "leave data.exponent at 0");

  config = bigram_config(6);
  for (const std::string bad : {"1, 2", "1, 2, 3, 4", "1, x, 3", "1,,3", "1,2,", ",1,2", "1 2 3", "1;2;3", " ",
                                "1,2,3,", "nan,1,1", "1,inf,1", "1,1e999,1", "1,2,3x"}) {
    config.rank_weights = bad;
    expect_refusal(config, "data.rank_weights = \"" + bad + "\" is not a list of data.rank = 3 numbers",
                   "write one number per rank, as in \"1, 0.5, 0.25\"");
  }

  Fields fields;
  fields.all_of(config, data_schema());
  EXPECT_THROW(fields.at("data.rank").set(int64_t{0}), Error);
  EXPECT_THROW(fields.at("data.scale").set(-1.0), Error);
}

}  // namespace
}  // namespace atto
