// Recall over several hops: chains of pairs, drawn exactly as the file of the task says.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/tasks/deck.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig recall(int64_t vocab, int64_t pairs, int64_t hops, double cross = 0) {
  DataConfig config;
  config.task = "recall";
  config.vocab = vocab;
  config.pairs = pairs;
  config.context = 0;
  config.hops = hops;
  config.cross = cross;
  return config;
}

struct Sample {
  std::vector<int32_t> tokens;
  int32_t answer;
  std::vector<int> relevant;
};

void draw_samples(const Task& task, const Draw& draw, int lanes, std::vector<Sample>& samples) {
  BatchMemory memory(task.shape(), lanes);
  memory.batch.samples = lanes;
  task.fill(draw, memory.batch);
  for (int lane = 0; lane < lanes; ++lane) {
    Sample one{{}, memory.batch.targets[lane], {}};
    for (int position = 0; position < task.context(); ++position) {
      one.tokens.push_back(memory.batch.tokens[position * lanes + lane]);
      if (memory.batch.relevant[position * lanes + lane] == 1) one.relevant.push_back(position);
    }
    samples.push_back(one);
  }
}

std::vector<Sample> sample(const DataConfig& config, int batches) {
  std::vector<Sample> samples;
  const auto task = make_task(config);
  for (int step = 0; step < batches; ++step)
    draw_samples(*task, {3, static_cast<uint64_t>(step), 0, {1, config.cross}}, 128, samples);
  return samples;
}

TEST(RecallHops, EveryStepOfTheChainIsAPair) {
  for (const int64_t hops : {2, 3})
    for (const int64_t vocab : {6, 33, 65536})
      for (const int64_t pairs : {3, 4, 6}) {
        SCOPED_TRACE(std::to_string(vocab) + " tokens, " + std::to_string(pairs) + " pairs, " + std::to_string(hops) +
                     " hops");
        for (const Sample& one : sample(recall(vocab, pairs, hops, 0.3), 3)) {
          std::map<int32_t, int> slot_of;
          std::set<int32_t> values;
          for (int slot = 0; slot < pairs; ++slot) {
            ASSERT_TRUE(slot_of.insert({one.tokens[2 * slot], slot}).second) << "keys are distinct";
            ASSERT_TRUE(values.insert(one.tokens[2 * slot + 1]).second) << "and so are values";
          }
          ASSERT_EQ(slot_of.size(), static_cast<size_t>(pairs));
          int32_t at = one.tokens.back();
          int place = -1;
          for (int64_t hop = 0; hop < hops; ++hop) {
            ASSERT_TRUE(slot_of.contains(at)) << "hop " << hop;
            place = 2 * slot_of[at] + 1;
            at = one.tokens[static_cast<size_t>(place)];
            ASSERT_NE(at, one.tokens.back()) << "the chain comes back to the query";
          }
          ASSERT_EQ(at, one.answer);
          ASSERT_EQ(one.relevant, std::vector<int>{place});
        }
      }
}

// All contexts of P pairs out of V tokens with each of the queries whose chain of h hops stays in the context and does
// not come back, by enumeration: (distinct keys) × (distinct values).
std::set<std::vector<int32_t>> possible(int vocab, int pairs, int hops) {
  std::vector<std::vector<int32_t>> words = {{}};  // injective words of P tokens
  for (int i = 0; i < pairs; ++i) {
    std::vector<std::vector<int32_t>> longer;
    for (const auto& word : words)
      for (int token = 0; token < vocab; ++token)
        if (std::find(word.begin(), word.end(), token) == word.end()) {
          longer.push_back(word);
          longer.back().push_back(token);
        }
    words = longer;
  }
  std::set<std::vector<int32_t>> all;
  for (const auto& keys : words)
    for (const auto& values : words)
      for (const int32_t query : keys) {
        int32_t at = query;
        bool valid = true;
        for (int hop = 0; hop < hops && valid; ++hop) {
          const auto key = std::find(keys.begin(), keys.end(), at);
          valid = key != keys.end() && (at = values[static_cast<size_t>(key - keys.begin())]) != query;
        }
        if (!valid) continue;
        std::vector<int32_t> tokens;
        for (int i = 0; i < pairs; ++i) tokens.insert(tokens.end(), {keys[i], values[i]});
        tokens.push_back(query);
        all.insert(tokens);
      }
  return all;
}

// By symmetry and by the count in the task's file every possible sequence is equally likely.
TEST(RecallHops, EveryChainIsEquallyLikely) {
  struct Size {
    int vocab, pairs, hops, batches;
  };
  for (const Size& size : {Size{4, 2, 2, 100}, Size{4, 3, 2, 300}, Size{4, 3, 3, 100}, Size{4, 4, 2, 400}}) {
    const std::set<std::vector<int32_t>> all = possible(size.vocab, size.pairs, size.hops);
    std::map<std::vector<int32_t>, int> seen;
    for (const Sample& one : sample(recall(size.vocab, size.pairs, size.hops), size.batches)) ++seen[one.tokens];
    std::vector<int> counts;
    for (const auto& tokens : all) counts.push_back(seen[tokens]);
    EXPECT_EQ(seen.size(), all.size()) << "nothing that cannot be";
    const double freedom = static_cast<double>(all.size()) - 1;
    EXPECT_LT(chi_square(counts, std::vector<double>(all.size(), 1 / (freedom + 1))),
              freedom + 3.5 * std::sqrt(2 * freedom))
        << size.vocab << " tokens, " << size.pairs << " pairs, " << size.hops << " hops";
  }
}

TEST(RecallHops, KnowItsFrequencies) {
  for (const int64_t hops : {2, 3})
    for (const double cross : {0.0, 0.5, 1.0}) {
      const DataConfig config = recall(6, 4, hops, cross);
      const std::vector<double> frequencies = make_task(config)->frequencies();
      const std::vector<Sample> samples = sample(config, 200);
      std::vector<double> seen(6);
      for (const Sample& one : samples)
        for (const int32_t token : one.tokens) seen[static_cast<size_t>(token)] += 1;
      double total = 0;
      for (size_t token = 0; token < 6; ++token) {
        total += frequencies[token];
        // A token stands in a sequence at most three times: key, value and query.
        EXPECT_NEAR(seen[token] / static_cast<double>(9 * samples.size()), frequencies[token],
                    3.5 * 1.5 / 9 / std::sqrt(samples.size()))
            << "token " << token << ", p " << cross << ", " << hops << " hops";
      }
      EXPECT_NEAR(total, 1, 1e-12);
    }
}

TEST(RecallHops, AreIndependentOfTiling) {
  const auto task = make_task(recall(9, 7, 3));
  std::vector<Sample> whole, pieces;
  draw_samples(*task, {5, 9, 0, {1, 0.5}}, 64, whole);
  for (uint32_t first = 0; first < 64; first += 16) draw_samples(*task, {5, 9, first, {1, 0.5}}, 16, pieces);
  ASSERT_EQ(whole.size(), pieces.size());
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i].tokens, pieces[i].tokens) << "sample " << i;
}

TEST(RecallHops, RefuseWhatCannotWork) {
  const std::string remedy = "lower data.hops, or raise data.pairs and data.vocab";
  expect_refusal(recall(8, 2, 3),
                 "data.hops = 3 needs a pair for every hop and a token more, but data.pairs = 2 and data.vocab = 8",
                 remedy);
  expect_refusal(recall(3, 3, 3),
                 "data.hops = 3 needs a pair for every hop and a token more, but data.pairs = 3 and data.vocab = 3",
                 remedy);
  EXPECT_NO_THROW(describe_task(recall(4, 3, 3)));
  DataConfig config = recall(32, 8, 2);
  const std::string message = "data.repeat above 1 copies a single pair, but data.hops = 2 asks for a chain of them";
  const std::string one_pair = "set data.repeat = 1 and data.later_repeat = 1, or data.hops = 1";
  config.repeat = 2;
  expect_refusal(config, message, one_pair);
  config = recall(32, 8, 2);
  config.schedule = DiversityKind::plateau;
  config.later_repeat = 4;
  expect_refusal(config, message, one_pair);
}

// Removing a token by its number finds its card wherever earlier draws have moved it.
TEST(Deck, RemovesTokensByNumber) {
  Deck deck(6);
  for (uint32_t round = 0; round < 200; ++round) {
    std::set<int32_t> left = {0, 1, 2, 3, 4, 5};
    for (uint32_t i = 0; i < 5; ++i) {
      const uint32_t word = random_block(1, Purpose::data, 0, round, i)[0];
      if (i % 2 == 0) {
        ASSERT_EQ(left.erase(deck.draw(word)), 1u);
      } else {
        const auto chosen = std::next(left.begin(), random_below(static_cast<uint32_t>(left.size()), word));
        deck.remove(*chosen);
        left.erase(chosen);
      }
    }
    ASSERT_EQ(deck.look(0), *left.begin());
    ASSERT_EQ(deck.draw(0), *left.begin());
    deck.reset();
  }
}

}  // namespace
}  // namespace atto
