// Given chains: what is drawn, what is listed, and the best loss.
#include <cmath>
#include <numeric>

#include "data/data_sets.h"
#include "data/listed.h"
#include "data/number_files.h"
#include "data/tasks/drawn.h"

namespace atto::markov_test {
namespace {

DataConfig markov(ChainKind chain, int64_t vocab = 6, int64_t context = 3) {
  DataConfig config;
  config.task = "markov";
  config.chain = chain;
  config.vocab = vocab;
  config.context = context;
  return config;
}

DataConfig from_file(const std::string& bytes, int64_t vocab, int64_t context = 3) {
  DataConfig config = markov(ChainKind::file, vocab, context);
  give_file(config, bytes);
  return config;
}

// Where 2 is left for good, and 0 and 1 differ.
const std::string kUneven = "0.25,0.75,0\n0.5,0.5,0\n0.1,0.2,0.7\n";

std::vector<double> row(const DataConfig& config, size_t token) {
  const std::vector<double> p = make_task(config)->transitions();
  const auto v = static_cast<size_t>(config.vocab);
  return {p.begin() + static_cast<std::ptrdiff_t>(token * v), p.begin() + static_cast<std::ptrdiff_t>(token * v + v)};
}

TEST(MarkovTask, HasTheFamilies) {
  DataConfig ring = markov(ChainKind::ring);
  EXPECT_EQ(row(ring, 0), (std::vector<double>{0, 0.5, 0, 0, 0, 0.5}));
  ring.moves = {2, -1, 8};  // 8 is 2 on a ring of six
  ring.chances = {0.25, 0.5, 0.25};
  EXPECT_EQ(row(ring, 1), (std::vector<double>{0.5, 0, 0, 0.5, 0, 0}));
  DataConfig drift = markov(ChainKind::drift);
  drift.forward = 0.75;
  EXPECT_EQ(row(drift, 5), (std::vector<double>{0.75, 0, 0, 0, 0.25, 0}));
  DataConfig near = markov(ChainKind::neighbours);
  near.neighbours = 2;
  EXPECT_EQ(row(near, 3), (std::vector<double>{0, 0.25, 0.25, 0, 0.25, 0.25}));
  EXPECT_EQ(row(markov(ChainKind::uniform, 4), 2), std::vector<double>(4, 0.25));
  DataConfig bigram = markov(ChainKind::low_rank);
  const std::vector<double> low_rank = make_task(bigram)->transitions();
  bigram.task = "bigram";
  bigram.chain = DataConfig().chain;
  EXPECT_EQ(low_rank, make_task(bigram)->transitions());
  EXPECT_EQ(row(from_file(kUneven, 3), 2), (std::vector<double>{0.1, 0.2, 0.7}));
}

TEST(MarkovTask, RowsOfAFileSumToOne) {
  const DataConfig thirds = from_file("0.333333,0.333333,0.333333\n0.333333,0.333333,0.333333\n0,0.5,0.5\n", 3);
  for (const size_t token : {0, 1})
    for (const double p : row(thirds, token)) EXPECT_NEAR(p, 1.0 / 3, 1e-15) << token;
}

std::vector<DataConfig> all_configs() {
  std::vector<DataConfig> configs{markov(ChainKind::ring, 5), markov(ChainKind::low_rank, 4),
                                  markov(ChainKind::uniform, 3), from_file(kUneven, 3)};
  DataConfig drift = markov(ChainKind::drift, 4);
  drift.start = {0.5, 0, 0.25, 0.25};
  configs.push_back(drift);
  for (size_t i = 0, count = configs.size(); i < count; ++i) {
    configs.push_back(configs[i]);
    configs.back().targets = Targets::every;
    configs.push_back(configs.back());
    configs.back().bos = true;
  }
  return configs;
}

// Sequences come with the probabilities of the chain, their answers with those of its rows, and every list holds just
// the contexts that are possible.
TEST(MarkovTask, ListsTheContextsThatItDraws) {
  for (const DataConfig& config : all_configs()) {
    SCOPED_TRACE(std::string(to_word(config.chain)) + (config.bos ? " [BOS]" : "") + to_word(config.targets));
    const auto task = make_task(config);
    const auto all = listed(*task, true);
    double total = 0;
    for (const auto& [sequence, probability] : all) {
      EXPECT_GT(probability, 0);
      total += probability;
      const std::vector<int32_t> current(sequence.first.end() - task->asked(), sequence.first.end());
      EXPECT_EQ(sequence.second, current) << "a target names the row of the current token";
    }
    EXPECT_NEAR(total, 1, 1e-6);

    std::map<std::vector<int32_t>, int> contexts;
    std::map<int32_t, std::vector<int>> answers;  // to the current token, at the last position
    for (uint64_t step = 0; step < 200; ++step) {
      const Drawn drawn(config, 4, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) {
        const std::vector<int32_t> sequence = drawn.sequence(lane);
        ++contexts[sequence];
        std::vector<int>& after = answers[sequence.back()];
        after.resize(static_cast<size_t>(config.vocab));
        ++after[static_cast<size_t>(drawn.answers(lane).back())];
      }
    }
    std::vector<int> times;
    std::vector<double> probabilities;
    for (const auto& [sequence, probability] : all) {
      times.push_back(contexts[sequence.first]);
      probabilities.push_back(probability);
    }
    EXPECT_EQ(contexts.size(), all.size()) << "drawn but not listed";
    const double freedom = static_cast<double>(all.size() - 1);
    EXPECT_LT(chi_square(times, probabilities), freedom + 3.3 * std::sqrt(2 * freedom) + 6);
    const std::vector<double> rows = task->distributions();
    for (const auto& [token, seen] : answers) {
      const auto first = rows.begin() + token * task->vocabulary();
      const std::vector<double> p(first, first + config.vocab);
      EXPECT_LT(chi_square(seen, p), 25) << "after token " << token;
    }
  }
}

// The mean of -ln p(answer) over what is drawn is the best loss.
TEST(MarkovTask, BestLossIsThatOfTheChainItself) {
  for (const DataConfig& config : all_configs()) {
    SCOPED_TRACE(std::string(to_word(config.chain)) + (config.bos ? " [BOS]" : "") + to_word(config.targets));
    const auto task = make_task(config);
    const std::vector<double> rows = task->distributions();
    double sum = 0, squares = 0, count = 0;
    for (uint64_t step = 0; step < 200; ++step) {
      const Drawn drawn(config, 4, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) {
        const std::vector<int32_t> sequence = drawn.sequence(lane), answers = drawn.answers(lane);
        double loss = 0;
        for (int i = 0; i < task->asked(); ++i)
          loss -=
              std::log(rows[static_cast<size_t>(sequence[task->first_asked() + i] * task->vocabulary() + answers[i])]);
        loss /= task->asked();
        sum += loss;
        squares += loss * loss;
        ++count;
      }
    }
    const double mean = sum / count, deviation = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
    EXPECT_NEAR(mean, *task->best_loss(), 3.5 * deviation + 1e-9);
  }
  EXPECT_NEAR(*make_task(markov(ChainKind::ring))->best_loss(), std::log(2), 1e-15);
  EXPECT_NEAR(*make_task(markov(ChainKind::uniform, 100))->best_loss(), std::log(100), 1e-12);
}

TEST(MarkovTask, StartsWhereItIsTold) {
  DataConfig config = markov(ChainKind::drift, 4, 2);
  config.start = {1, 0, 0, 0};
  config.forward = 1;
  const Drawn drawn(config, 1, 0, 0, 16, 16);
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(drawn.sequence(lane), (std::vector<int32_t>{0, 1}));
    EXPECT_EQ(drawn.answers(lane), std::vector<int32_t>{2});
  }
  EXPECT_EQ(*drawn.task->best_loss(), 0);
  const std::vector<double> mean{1.0 / 3, 1.0 / 3, 1.0 / 3, 0};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(drawn.task->frequencies()[i], mean[i], 1e-15);
}

TEST(MarkovTask, KnowsWhichContextsAreAlike) {
  EXPECT_TRUE(describe_task(markov(ChainKind::ring)).listing->equal);
  EXPECT_TRUE(describe_task(markov(ChainKind::uniform)).listing->equal);
  EXPECT_FALSE(describe_task(markov(ChainKind::drift)).listing->equal);
  EXPECT_FALSE(describe_task(from_file(kUneven, 3)).listing->equal);
  EXPECT_EQ(*population_size(describe_task(markov(ChainKind::ring, 25, 4)), true), 25 * 8);
  EXPECT_EQ(*population_size(describe_task(markov(ChainKind::uniform, 25, 4)), true), 390625);
  EXPECT_EQ(*population_size(describe_task(from_file(kUneven, 3, 2)), true), 4) << "token 2 is left for good";
}

TEST(MarkovTask, IsIndependentOfTilingAndTarget) {
  for (DataConfig config : all_configs()) {
    config.context = 7;
    expect_independence_of_tiling(config);
    expect_the_same_on_every_target(config, {});
  }
}

TEST(MarkovTask, RefusesWhatCannotWork) {
  DataConfig config = markov(ChainKind::ring);
  config.chances = {1};
  expect_refusal(config, "data.moves has 2 moves, but data.chances 1 probabilities",
                 "give one for each move, or none where all are alike");
  config.chances = {0.5, 0.25};
  expect_refusal(config, "the probabilities of data.chances sum to 0.75, not to 1", "divide each by their sum");
  config.chances = {};
  config.moves = {0.5};
  expect_refusal(config, "data.moves has 0.5, which is no whole number of tokens", "give whole numbers");
  config.moves = {};
  expect_refusal(config, "data.moves is empty: the walk has nowhere to go", "give one move or more, as in [-1, 1]");
  config = markov(ChainKind::ring);
  config.forward = 0.5;
  expect_refusal(config, "data.forward is set, but data.chain = \"ring\" does not use it",
                 "leave it out, or set data.chain = \"drift\"");
  config = markov(ChainKind::uniform);
  config.rank = 2;
  expect_refusal(config, "data.rank is set, but data.chain = \"uniform\" does not use it",
                 "leave it out, or set data.chain = \"low-rank\"");
  config = markov(ChainKind::neighbours, 6);
  config.neighbours = 3;
  expect_refusal(config, "data.neighbours = 3 on either side are more than the 5 other tokens of the ring",
                 "set data.neighbours to less than half of data.vocab, or data.chain = \"uniform\"");
  config = markov(ChainKind::ring, 5000);
  expect_refusal(config, "data.vocab = 5000 is too many for the task 'markov', whose matrix has V² entries",
                 "set data.vocab to at most 4096");
  config = markov(ChainKind::ring);
  config.exponent = 1;
  expect_refusal(config, "data.exponent sets the frequencies of independent tokens; markov has its own",
                 "leave data.exponent at 0");
  config = markov(ChainKind::ring);
  config.start = {0.5, 0.5};
  expect_refusal(config, "data.start has 2 probabilities, but data.vocab is 6",
                 "give one for each token, or [] for the stationary distribution");
  config = markov(ChainKind::file);
  expect_refusal(config, "data.file names no file", "set data.file to a CSV, NPY or NPZ file");
  DataConfig copy;
  copy.start = {0.5, 0.5};
  expect_refusal(copy, "data.start is set, but the task 'copy' does not use it",
                 "leave it out, or take the task markov");
}

TEST(MarkovTask, RefusesMatricesThatAreNone) {
  const auto expect = [](const std::string& bytes, int64_t vocab, const std::string& message,
                         const std::string& remedy) { expect_refusal(from_file(bytes, vocab), message, remedy); };
  const std::string size = "set data.vocab to the number of rows, and give one row and one column for each token";
  expect("0.5,0.5\n0.5,0.5\n", 3, "f: data.vocab = 3 wants 3 × 3 probabilities, but the file has 2 × 2", size);
  expect("0.5,0.5\n0.5,0.5\n0,1\n", 2, "f: data.vocab = 2 wants 2 × 2 probabilities, but the file has 3 × 2", size);
  expect("0.5,0.5\n0.6,0.5\n", 2, "f:2: the probabilities after token 1 sum to 1.1, not to 1",
         "divide each row by its sum");
  expect("1.5,-0.5\n0.5,0.5\n", 2, "f:1, number 1: 1.5 is no probability of token 0 after token 0",
         "give numbers from 0 to 1");
  expect("0.5,0.5\nnan,1\n", 2, "f:2, number 1: nan is no probability of token 0 after token 1",
         "give numbers from 0 to 1");
  expect("1,0\n0,1\n", 2,
         "f: the chain falls apart into sets of tokens that never reach each other, so it has no stationary "
         "distribution of its own",
         "give data.start, the probabilities of the first token, or connect the sets");
  DataConfig started = from_file("1,0\n0,1\n", 2);
  started.start = {0.5, 0.5};
  EXPECT_NO_THROW(describe_task(started));
  EXPECT_NO_THROW(describe_task(from_file("0.333333,0.333333,0.333333\n0,1,0\n0,0.5,0.5\n", 3)));
}

}  // namespace
}  // namespace atto::markov_test
