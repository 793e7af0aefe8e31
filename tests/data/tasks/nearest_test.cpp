// The nearest task: answers, ties, frequencies and reference losses.
#include <gtest/gtest.h>

#include <cmath>

#include "data/alias_table.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig nearest_config(int64_t vocab, int64_t context, const std::string& targets = "last") {
  DataConfig config;
  config.task = "nearest";
  config.vocab = vocab;
  config.context = context;
  config.targets = from_word<Targets>(targets);
  return config;
}

TEST(NearestTask, AnswersWithTheClosestEarlierToken) {
  EXPECT_EQ(answers_to(nearest_config(11, 4), {1, 5, 10, 6}), std::vector<int32_t>{5});
  EXPECT_EQ(answers_to(nearest_config(11, 4), {1, 6, 10, 6}), std::vector<int32_t>{6}) << "itself, if seen before";
  EXPECT_EQ(answers_to(nearest_config(11, 4, "every"), {1, 5, 10, 6}), (std::vector<int32_t>{1, 5, 5}));
}

TEST(NearestTask, TiesGoToTheEarliest) {
  EXPECT_EQ(answers_to(nearest_config(7, 3), {4, 6, 5}), std::vector<int32_t>{4});
  EXPECT_EQ(answers_to(nearest_config(7, 3), {6, 4, 5}), std::vector<int32_t>{6});
  EXPECT_EQ(answers_to(nearest_config(7, 4), {0, 6, 4, 5}), std::vector<int32_t>{6});
}

TEST(NearestTask, EveryAnswerObeysTheDefinition) {
  for (const int context : {2, 3, 5, 9}) {
    for (const std::string targets : {"last", "every"}) {
      const Drawn drawn(nearest_config(20, context, targets), 2, 7, 0, 64, 64);
      const int first = targets == "last" ? context - 1 : 1;
      ASSERT_EQ(drawn.task->first_asked(), first);
      for (int lane = 0; lane < 64; ++lane) {
        const auto tokens = drawn.sequence(lane), answers = drawn.answers(lane);
        for (int i = first; i < context; ++i) {
          const auto closest = std::min_element(tokens.begin(), tokens.begin() + i, [&](int a, int b) {
            return std::abs(a - tokens[i]) < std::abs(b - tokens[i]);  // min_element keeps the first of equals
          });
          ASSERT_EQ(answers[i - first], *closest) << "context " << context << ", position " << i;
        }
      }
    }
  }
}

TEST(NearestTask, IsIndependentOfTiling) { expect_independence_of_tiling(nearest_config(50, 6, "every")); }

TEST(NearestTask, KnowsItsLosses) {
  const auto task = make_task(nearest_config(100, 4));
  EXPECT_EQ(task->vocabulary(), 100);
  EXPECT_FALSE(task->bos());
  EXPECT_EQ(task->best_loss(), 0.0);
  const auto perplexity = [](const DataConfig& config, const char* name) {
    return std::exp(reference_loss(*make_task(config), name));
  };
  EXPECT_NEAR(perplexity(nearest_config(100, 4), "guess"), 3, 1e-10) << "one of C-1, whatever the vocabulary";
  EXPECT_NEAR(perplexity(nearest_config(1000, 4), "guess"), 3, 1e-10);
  EXPECT_NEAR(perplexity(nearest_config(100, 10), "guess"), 9, 1e-10);
  EXPECT_NEAR(perplexity(nearest_config(5, 10), "guess"), 5, 1e-10) << "no more tokens than there are";
  EXPECT_EQ(reference_loss(*make_task(nearest_config(100, 2)), "guess"), 0.0) << "one earlier token needs no guess";
  EXPECT_NEAR(perplexity(nearest_config(100, 4), "narrow"), 2.0 / 3 * 100, 1e-10) << "(C-2)/(C-1) V";
  EXPECT_NEAR(perplexity(nearest_config(100, 10), "narrow"), 8.0 / 9 * 100, 1e-10);
  EXPECT_EQ(reference_loss(*make_task(nearest_config(100, 2)), "narrow"), 0.0);

  DataConfig copy = nearest_config(30, 4);
  copy.task = "copy";
  copy.offset = 1;
  EXPECT_NEAR(perplexity(copy, "guess"), 3, 1e-10);
  EXPECT_NEAR(perplexity(copy, "narrow"), 20, 1e-10);
  copy.offset = 0;
  EXPECT_EQ(make_task(copy)->references().size(), 1u) << "the current token is not an earlier one";
}

// What the reference says is what a uniform guess gets: the mean loss over drawn sequences. The answer may stand among
// the earlier tokens twice, which makes the guess a little better than one of C-1.
TEST(NearestTask, TheGuessIsAUniformOneAmongTheEarlierTokens) {
  const Drawn drawn(nearest_config(1000, 6), 3, 0, 0, 512, 512);
  double loss = 0;
  for (int lane = 0; lane < 512; ++lane) {
    const auto tokens = drawn.sequence(lane);
    const auto hits = std::count(tokens.begin(), tokens.end() - 1, drawn.answers(lane)[0]);
    loss -= std::log(static_cast<double>(hits) / 5) / 512;
  }
  EXPECT_NEAR(loss, reference_loss(*drawn.task, "guess"), 0.02);
}

TEST(NearestTask, TokensFollowZipf) {
  DataConfig config = nearest_config(10, 4);
  config.exponent = 1.5;
  const auto expected = zipf(10, 1.5);
  EXPECT_EQ(make_task(config)->frequencies(), expected);
  std::vector<std::vector<int>> seen(4, std::vector<int>(10));
  for (uint64_t step = 0; step < 100; ++step) {
    const Drawn drawn(config, 4, step, 0, 128, 128);
    for (int i = 0; i < 4; ++i)
      for (int lane = 0; lane < 128; ++lane) ++seen[i][drawn.tokens[i * 128 + lane]];
  }
  for (int i = 0; i < 4; ++i) EXPECT_LT(chi_square(seen[i], expected), 27.88) << "position " << i;  // 9 degrees, 99.9 %
}

TEST(NearestTask, RefusesWhatCannotWork) {
  expect_refusal(nearest_config(10, 1), "data.context = 1 leaves the task 'nearest' no earlier token to answer with",
                 "set data.context to at least 2");
  for (const std::string task : {"nearest", "copy"}) {
    DataConfig config = nearest_config(10, 4);
    config.task = task;
    config.bos = true;
    expect_refusal(config, "data.bos = true, but the task '" + task + "' has no [BOS] token",
                   "leave data.bos false, or take the task unigram, bigram or markov");
  }
}

}  // namespace
}  // namespace atto
