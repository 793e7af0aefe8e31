// The unigram task: Zipf frequencies, what follows what with and without [BOS], and the entropy as best loss.
#include <gtest/gtest.h>

#include <cmath>

#include "base/fields.h"
#include "data/alias_table.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig unigram_config(int64_t vocab, int64_t context, double exponent, bool bos,
                          const std::string& targets = "every") {
  DataConfig config;
  config.task = "unigram";
  config.vocab = vocab;
  config.context = context;
  config.exponent = exponent;
  config.bos = bos;
  config.targets = from_word<Targets>(targets);
  return config;
}

TEST(UnigramTask, AsksForTheNextToken) {
  for (const int context : {1, 3, 4, 7, 8}) {
    const Drawn every(unigram_config(9, context, 1, false), 3, 5, 0, 32, 32);
    const Drawn last(unigram_config(9, context, 1, false, "last"), 3, 5, 0, 32, 32);
    ASSERT_EQ(every.task->asked(), context);
    ASSERT_EQ(last.task->asked(), 1);
    for (int lane = 0; lane < 32; ++lane) {
      const auto tokens = every.sequence(lane), answers = every.answers(lane);
      for (int i = 0; i + 1 < context; ++i) ASSERT_EQ(answers[i], tokens[i + 1]);
      EXPECT_EQ(last.sequence(lane), tokens);
      EXPECT_EQ(last.answers(lane).front(), answers.back());
    }
  }
}

// [BOS] t0 t1 .. → t0 t1 t2 .., where t0 t1 .. are the tokens of the task without it.
TEST(UnigramTask, BosOpensEverySequence) {
  for (const int context : {1, 3, 4, 7, 8}) {
    const Drawn with(unigram_config(9, context, 1, true), 3, 5, 0, 32, 20);
    const Drawn without(unigram_config(9, context, 1, false), 3, 5, 0, 32, 20);
    const Drawn last(unigram_config(9, context, 1, true, "last"), 3, 5, 0, 32, 20);
    EXPECT_TRUE(with.task->bos());
    EXPECT_EQ(with.task->vocabulary(), 10);
    EXPECT_EQ(without.task->vocabulary(), 9);
    EXPECT_EQ(with.task->frequencies().size(), 9u) << "[BOS] is drawn by nobody";
    for (int lane = 0; lane < 32; ++lane) {
      const auto tokens = with.sequence(lane), answers = with.answers(lane);
      EXPECT_EQ(tokens[0], 9);
      for (int i = 1; i < context; ++i) ASSERT_EQ(tokens[i], answers[i - 1]);
      EXPECT_EQ(answers, without.sequence(lane));
      EXPECT_EQ(last.answers(lane).front(), answers.back());
    }
  }
}

TEST(UnigramTask, TokensFollowZipf) {
  for (const auto& [exponent, vocab] : {std::pair(0.0, 12), {0.5, 12}, {1.0, 12}, {2.0, 12}}) {
    for (const bool bos : {false, true}) {
      SCOPED_TRACE("exponent " + std::to_string(exponent) + (bos ? ", [BOS]" : ""));
      const DataConfig config = unigram_config(vocab, 6, exponent, bos);
      const auto expected = zipf(static_cast<size_t>(vocab), exponent);
      EXPECT_EQ(make_task(config)->frequencies(), expected);
      std::vector<std::vector<int>> seen(6, std::vector<int>(vocab));
      for (uint64_t step = 0; step < 100; ++step) {
        const Drawn drawn(config, 21, step, 0, 128, 128);
        for (int i = 0; i < 6; ++i)
          for (int lane = 0; lane < 128; ++lane) ++seen[i][drawn.targets[i * 128 + lane]];
      }
      for (int i = 0; i < 6; ++i) EXPECT_LT(chi_square(seen[i], expected), 31.26) << i;  // 11 degrees, 99.9 %
    }
  }
}

TEST(UnigramTask, NeighboursAreIndependent) {
  const auto p = zipf(4, 1);
  std::vector<double> expected;
  for (const double first : p)
    for (const double second : p) expected.push_back(first * second);
  for (int position = 0; position < 4; ++position) {
    std::vector<int> pairs(16);
    for (uint64_t step = 0; step < 100; ++step) {
      const Drawn drawn(unigram_config(4, 5, 1, false), 8, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) {
        const auto tokens = drawn.sequence(lane);
        ++pairs[tokens[position] * 4 + tokens[position + 1]];
      }
    }
    EXPECT_LT(chi_square(pairs, expected), 37.70) << position;  // 15 degrees, 99.9 %
  }
}

TEST(UnigramTask, BestLossIsTheEntropy) {
  EXPECT_NEAR(*make_task(unigram_config(100, 10, 1, false))->best_loss(), 3.681, 5e-4);
  EXPECT_NEAR(*make_task(unigram_config(100, 10, 1, true))->best_loss(), 3.681, 5e-4);
  EXPECT_NEAR(*make_task(unigram_config(100, 10, 0, true))->best_loss(), std::log(100), 1e-12);

  // What a predictor that knows the frequencies loses on draws.
  const auto p = zipf(20, 1);
  double sum = 0, squares = 0;
  int count = 0;
  for (uint64_t step = 0; step < 50; ++step) {
    const Drawn drawn(unigram_config(20, 8, 1, true), 17, step, 0, 128, 128);
    for (const int32_t answer : drawn.targets) {
      const double loss = -std::log(p[answer]);
      sum += loss;
      squares += loss * loss;
      ++count;
    }
  }
  const double mean = sum / count, deviation = std::sqrt((squares / count - mean * mean) / count);
  EXPECT_NEAR(mean, *make_task(unigram_config(20, 8, 1, true))->best_loss(), 3.5 * deviation);
}

TEST(UnigramTask, IsIndependentOfTiling) {
  for (const bool bos : {false, true}) {
    for (const double exponent : {0.0, 1.0}) expect_independence_of_tiling(unigram_config(50, 7, exponent, bos));
    expect_independence_of_tiling(unigram_config(50, 8, 1, bos, "last"));
  }
}

TEST(UnigramTask, RefusesANegativeExponent) {
  DataConfig config;
  Fields fields;
  fields.all_of(config, data_schema());
  EXPECT_THROW(fields.at("data.exponent").set(-0.5), Error);
  EXPECT_NO_THROW(fields.at("data.exponent").set(1.5));
}

}  // namespace
}  // namespace atto
