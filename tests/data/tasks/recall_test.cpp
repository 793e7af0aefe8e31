// Recall: the published process, position by position and as a whole.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "data/tasks/drawn.h"
#include "kernels/random.h"

namespace atto::recall_test {
namespace {

DataConfig recall(int64_t vocab, int64_t pairs, int64_t repeat = 1, double cross = 0) {
  DataConfig config;
  config.task = "recall";
  config.vocab = vocab;
  config.pairs = pairs;
  config.context = 0;
  config.repeat = repeat;
  config.cross = cross;
  return config;
}

// Sequences with their answers, `batches` × 128 of them.
struct Sample {
  std::vector<int32_t> tokens;
  int32_t answer;
  std::vector<int> relevant;
};
std::vector<Sample> sample(const DataConfig& config, const Diversity& diversity, int batches) {
  std::vector<Sample> samples;
  for (int step = 0; step < batches; ++step) {
    const Drawn drawn(make_task(config), {3, static_cast<uint64_t>(step), 0, diversity}, 128, 128);
    for (int lane = 0; lane < 128; ++lane)
      samples.push_back({drawn.sequence(lane), drawn.answers(lane)[0], drawn.relevant_positions(lane)});
  }
  return samples;
}

TEST(RecallTask, DescribesItself) {
  const auto task = make_task(recall(32, 8));
  EXPECT_EQ(task->context(), 17);
  EXPECT_EQ(task->first_asked(), 16);
  EXPECT_EQ(task->vocabulary(), 32);
  EXPECT_TRUE(task->spec().relevant);
  EXPECT_EQ(task->best_loss(), 0.0);
  EXPECT_NEAR(reference_loss(*task, "guess"), std::log(8), 1e-12);
  DataConfig same = recall(32, 8);
  same.context = 17;
  EXPECT_EQ(make_task(same)->context(), 17);
}

// What holds of every sequence, whatever is repeated.
TEST(RecallTask, PairsAreConsistent) {
  for (const int64_t vocab : {5, 33, 65536})
    for (const int64_t pairs : {1, 2, 4})
      for (const int64_t repeat : {1, 2, 4, 9}) {
        SCOPED_TRACE(std::to_string(vocab) + " tokens, " + std::to_string(pairs) + " pairs, B " +
                     std::to_string(repeat));
        for (const Sample& one : sample(recall(vocab, pairs), {repeat, 0.3}, 3)) {
          const int32_t query = one.tokens.back();
          std::set<int32_t> keys, values = {one.answer};
          std::vector<int> relevant;
          for (int slot = 0; slot < pairs; ++slot) {
            const int32_t key = one.tokens[2 * slot], value = one.tokens[2 * slot + 1];
            ASSERT_LT(key, vocab);
            if (key == query) {
              ASSERT_EQ(value, one.answer);
              relevant.push_back(2 * slot + 1);
            } else {
              ASSERT_TRUE(keys.insert(key).second) << "other keys are distinct";
              ASSERT_TRUE(values.insert(value).second) << "and so are all values";
            }
          }
          ASSERT_EQ(one.relevant, relevant);
          if (repeat == 1) {
            ASSERT_EQ(relevant.size(), 1u);
          }
          if (repeat >= pairs && repeat > 1) {
            ASSERT_EQ(std::ssize(relevant), pairs);
          }
        }
      }
}

// Without repetition all sequences (permutation of the keys, injective values, slot of the query) are equally likely:
// V = 4 tokens, P = 2 pairs give 4·3 keys × 4·3 values × 2 queries = 288. Chi-square with 287 degrees of freedom.
TEST(RecallTask, EverySequenceIsEquallyLikely) {
  std::map<std::vector<int32_t>, int> seen;
  for (const Sample& one : sample(recall(4, 2), {}, 400)) ++seen[one.tokens];
  ASSERT_EQ(seen.size(), 288u);
  std::vector<int> counts;
  for (const auto& [tokens, times] : seen) counts.push_back(times);
  EXPECT_LT(chi_square(counts, std::vector<double>(288, 1.0 / 288)), 366.3);  // 99.9 %
}

// The same with as many pairs as tokens: 3! keys × 3! values × 3 queries = 108.
TEST(RecallTask, TakesAsManyPairsAsTokens) {
  std::map<std::vector<int32_t>, int> seen;
  DataConfig config = recall(3, 3);
  for (const Sample& one : sample(config, {}, 200)) ++seen[one.tokens];
  ASSERT_EQ(seen.size(), 108u);
  std::vector<int> counts;
  for (const auto& [tokens, times] : seen) counts.push_back(times);
  EXPECT_LT(chi_square(counts, std::vector<double>(108, 1.0 / 108)), 157.1);  // 107 degrees of freedom, 99.9 %
}

// The exact process with B and p by enumeration: a query, slots that take it, then distinct other keys.
TEST(RecallTask, RepetitionFollowsThePublishedProcess) {
  const int vocab = 5, pairs = 3, repeated = 2, repeat = 2;
  const double p = 0.4, share = static_cast<double>(repeat) / pairs;
  // Probability of (keys of the slots, query); values are looked at apart.
  std::map<std::vector<int32_t>, double> expected;
  for (int query = 0; query < vocab; ++query) {
    const double asked = (1 - p) / vocab + (query < repeated ? p / repeated : 0);
    for (int a = 0; a < vocab; ++a)
      for (int b = 0; b < vocab; ++b)
        for (int c = 0; c < vocab; ++c) {
          double probability = asked, left = vocab - 1;
          std::set<int> others;
          bool possible = true;
          for (const int key : {a, b, c}) {
            if (key == query) probability *= share;
            else possible = possible && others.insert(key).second, probability *= (1 - share) / left--;
          }
          if (possible) expected[{a, b, c, query}] = probability;
        }
  }
  DataConfig config = recall(vocab, pairs, repeat, p);
  config.repeated = repeated;
  std::map<std::vector<int32_t>, int> seen;
  std::map<std::vector<int32_t>, int> values;  // of sequences in which no slot holds the query
  for (const Sample& one : sample(config, {repeat, p}, 600)) {
    ++seen[{one.tokens[0], one.tokens[2], one.tokens[4], one.tokens[6]}];
    if (one.relevant.empty()) ++values[{one.tokens[1], one.tokens[3], one.tokens[5], one.answer}];
  }
  std::vector<int> counts;
  std::vector<double> probabilities;
  double total = 0;
  for (const auto& [keys, probability] : expected) {
    counts.push_back(seen[keys]);
    probabilities.push_back(probability);
    total += probability;
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_EQ(seen.size(), expected.size()) << "and nothing that cannot be";
  const double freedom = static_cast<double>(expected.size()) - 1;
  EXPECT_LT(chi_square(counts, probabilities), freedom + 3.5 * std::sqrt(2 * freedom));

  ASSERT_EQ(values.size(), 120u) << "5·4·3 values, and the answer one of the two left";
  counts.clear();
  for (const auto& [tokens, times] : values) counts.push_back(times);
  EXPECT_LT(chi_square(counts, std::vector<double>(120, 1.0 / 120)), 119 + 3.5 * std::sqrt(2 * 119));
}

// B/P = ½: all 64 ways in which six slots may hold the query's pair are equally likely.
TEST(RecallTask, SlotsTakeTheQueryIndependently) {
  for (const double cross : {0.0, 0.5}) {
    std::vector<int> seen(64);
    for (const Sample& one : sample(recall(9, 6), {3, cross}, 100)) {
      size_t pattern = 0;
      for (const int position : one.relevant) pattern |= size_t{1} << (position / 2);
      ++seen[pattern];
    }
    EXPECT_LT(chi_square(seen, std::vector<double>(64, 1.0 / 64)), 103.4) << cross;  // 63 degrees of freedom, 99.9 %
  }
}

// Which numbers of the generator decide what is part of a run's identity: the first one about the query, where it may
// be one of the repeated tokens, and the next ones about the slots.
TEST(RecallTask, TheQueryTakesACoinOnlyWhereItNeedsOne) {
  for (const double cross : {0.0, 0.3}) {
    const Drawn drawn(make_task(recall(32, 3)), {3, 5, 0, {2, cross}}, 128, 128);
    for (int lane = 0; lane < 128; ++lane) {
      const auto coins = random_block(3, Purpose::repeats, 5, static_cast<uint32_t>(lane), 0);
      std::vector<int> taken;
      for (int slot = 0; slot < 3; ++slot)
        if (coins[static_cast<size_t>(slot + (cross > 0 ? 1 : 0))] * 0x1p-32 < 2.0 / 3) taken.push_back(2 * slot + 1);
      EXPECT_EQ(drawn.relevant_positions(lane), taken) << cross << ", sequence " << lane;
    }
  }
}

TEST(RecallTask, QueriesPreferTheRepeatedTokens) {
  for (const int64_t repeated : {1, 2, 4, 7}) {
    DataConfig config = recall(7, 3);
    config.repeated = repeated;
    std::vector<int> seen(7);
    for (const Sample& one : sample(config, {1, 0.25}, 100)) ++seen[one.tokens.back()];
    std::vector<double> expected(7, 0.75 / 7);
    for (int64_t token = 0; token < repeated; ++token) expected[token] += 0.25 / static_cast<double>(repeated);
    EXPECT_LT(chi_square(seen, expected), 22.46) << repeated;  // 6 degrees of freedom, 99.9 %
  }
}

TEST(RecallTask, KnowsItsFrequencies) {
  for (const auto& [repeat, cross] : std::vector<std::pair<int64_t, double>>{{1, 0.0}, {1, 0.5}, {3, 0.5}, {9, 1.0}}) {
    const DataConfig config = recall(6, 4, repeat, cross);
    const std::vector<double> frequencies = make_task(config)->frequencies();
    std::vector<double> seen(6);
    const std::vector<Sample> samples = sample(config, {repeat, cross}, 200);
    for (const Sample& one : samples)
      for (const int32_t token : one.tokens) seen[token] += 1;
    double total = 0;
    for (size_t token = 0; token < 6; ++token) {
      total += frequencies[token];
      // Tokens of a sequence are not independent: its 9 positions may all agree at worst.
      EXPECT_NEAR(seen[token] / static_cast<double>(9 * samples.size()), frequencies[token],
                  3.5 * 0.5 / std::sqrt(samples.size()));
    }
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

// With B > 1 some sequences have no answer in the context: the loss of a guess among the V - P values they lack.
TEST(RecallTask, KnowsTheBestLossUnderRepetition) {
  const DataConfig config = recall(16, 4, 2);
  EXPECT_NEAR(*make_task(config)->best_loss(), std::pow(0.5, 4) * std::log(12), 1e-12);
  int unanswerable = 0, total = 0;
  for (const Sample& one : sample(config, {2, 0}, 50)) {
    unanswerable += one.relevant.empty();
    ++total;
  }
  EXPECT_NEAR(unanswerable, total / 16.0, 3.5 * std::sqrt(total / 16.0));
  EXPECT_EQ(make_task(recall(16, 4, 4))->best_loss(), 0.0);
  DataConfig later = config;
  later.schedule = DiversityKind::plateau;
  EXPECT_EQ(make_task(later)->best_loss(), 0.0) << "once nothing is repeated any more";
}

TEST(RecallTask, IsTheSameOnEveryTarget) { expect_the_same_on_every_target(recall(32, 8), {2, 0.3}); }

TEST(RecallTask, IsIndependentOfTiling) {
  expect_independence_of_tiling(recall(32, 8));
  expect_independence_of_tiling(recall(32, 7), {1, 0.5});
  expect_independence_of_tiling(recall(9, 8), {3, 0.5});
}

TEST(RecallTask, SeedsStepsAndSamplesDrawDifferently) {
  const DataConfig config = recall(64, 16);
  const Drawn base(config, 1, 0, 0, 64, 64);
  EXPECT_EQ(base.tokens, Drawn(config, 1, 0, 0, 64, 64).tokens);
  for (const auto& other :
       {Drawn(config, 2, 0, 0, 64, 64), Drawn(config, 1, 1, 0, 64, 64), Drawn(config, 1, 0, 64, 64, 64)})
    for (int lane = 0; lane < 64; ++lane) EXPECT_NE(other.sequence(lane), base.sequence(lane));
}

TEST(RecallTask, RefusesWhatCannotWork) {
  DataConfig config = recall(32, 8);
  const std::string remedy = "set data.context = 0, which follows data.pairs, or 17";
  config.context = 16;
  expect_refusal(config, "data.context = 16 is too short for data.pairs = 8 pairs and a query, which take 17", remedy);
  config.context = 18;
  expect_refusal(config, "data.context = 18 is too long for data.pairs = 8 pairs and a query, which take 17", remedy);
  expect_refusal(recall(7, 8), "data.pairs = 8 is more than the keys that data.vocab = 7 allows",
                 "lower data.pairs or raise data.vocab");
  EXPECT_NO_THROW(describe_task(recall(8, 8)));
  expect_refusal(recall(8, 8, 2),
                 "data.pairs = data.vocab = 8 leaves no other key for a slot when repetition gives the query none",
                 "lower data.pairs, raise data.vocab, or set data.repeat = 1");
  config = recall(8, 4);
  config.repeated = 9;
  expect_refusal(config, "data.repeated = 9 is more than data.vocab = 8", "lower data.repeated or raise data.vocab");
  config = recall(8, 4);
  config.targets = Targets::every;
  expect_refusal(config, "data.targets = \"every\", but recall asks one question, at the last position",
                 "set data.targets = \"last\"");
  config = recall(8, 4);
  config.exponent = 1;
  expect_refusal(config, "data.exponent sets the frequencies of independent tokens; recall has its own",
                 "leave data.exponent at 0");
}

TEST(RecallTask, TakesTheLargestSizes) {
  const Drawn drawn(make_task(recall(65536, 2047)), {1, 0, 0, {5, 0.5}}, 16, 16);
  for (int lane = 0; lane < 16; ++lane)
    for (const int position : drawn.relevant_positions(lane))
      ASSERT_EQ(drawn.sequence(lane)[static_cast<size_t>(position)], drawn.answers(lane)[0]);
}

}  // namespace
}  // namespace atto::recall_test
