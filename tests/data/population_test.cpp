// All sequences of a task: each once, with the probability at which it is drawn.
#include "data/population.h"

#include <gtest/gtest.h>

#include <numeric>

#include "data/listed.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig config_of(const std::string& task, int64_t vocab, int64_t context, const std::string& targets) {
  DataConfig config;
  config.task = task;
  config.vocab = vocab;
  config.context = context;
  config.targets = from_word<Targets>(targets);
  return config;
}

std::vector<DataConfig> all_configs() {
  std::vector<DataConfig> configs;
  for (const std::string task : {"copy", "nearest", "unigram", "bigram"}) {
    for (const std::string targets : {"last", "every"}) {
      DataConfig config = config_of(task, 4, 3, targets);
      if (task != "bigram") config.exponent = 1;
      configs.push_back(config);
      config.bos = task == "unigram" || task == "bigram";
      config.offset = task == "copy" ? 1 : 0;
      if (config.bos || config.offset > 0) configs.push_back(config);
    }
  }
  return configs;
}

std::string name(const DataConfig& config) {
  return config.task + (config.bos ? " with [BOS]" : "") + " offset " + std::to_string(config.offset) + ", " +
         to_word(config.targets);
}

TEST(Population, IsWhatTheTaskDraws) {
  for (const DataConfig& config : all_configs()) {
    SCOPED_TRACE(name(config));
    const auto task = make_task(config);
    const auto all = listed(*task, true);
    const bool next = config.task == "unigram" || config.task == "bigram";
    EXPECT_EQ(all.size(), next && !config.bos ? 256u : 64u);
    double total = 0;
    for (const auto& [sequence, probability] : all) total += probability;
    EXPECT_NEAR(total, 1, 1e-7);

    std::map<Sequence, int> seen;
    for (uint64_t step = 0; step < 300; ++step) {
      const Drawn drawn(config, 4, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane) ++seen[{drawn.sequence(lane), drawn.answers(lane)}];
    }
    std::vector<int> times;
    std::vector<double> probabilities;
    for (const auto& [sequence, probability] : all) {
      times.push_back(seen[sequence]);
      probabilities.push_back(probability);
    }
    EXPECT_EQ(seen.size(), all.size()) << "drawn but not listed";
    // 99.9 % quantiles of chi-square with 63 and with 255 degrees of freedom.
    EXPECT_LT(chi_square(times, probabilities), all.size() == 64 ? 103.4 : 330.5);
  }
}

TEST(Population, AMultisetStandsForAllItsOrders) {
  DataConfig bos = config_of("unigram", 3, 5, "last");
  bos.bos = true;
  DataConfig zipf = config_of("copy", 4, 4, "last");
  zipf.exponent = 1.5;
  for (const DataConfig& config : {zipf, config_of("unigram", 4, 3, "last"), bos}) {
    SCOPED_TRACE(name(config));
    expect_multisets_to_stand_for_orders(*make_task(config));
  }
}

TEST(Population, KeepsTheOrderWhereAnswersDependOnIt) {
  DataConfig offset = config_of("copy", 3, 4, "last");
  offset.offset = 2;
  for (const DataConfig& config : {offset, config_of("copy", 3, 4, "every"), config_of("nearest", 3, 4, "last"),
                                   config_of("unigram", 3, 4, "every"), config_of("bigram", 3, 4, "last")}) {
    SCOPED_TRACE(name(config));
    const auto task = make_task(config);
    EXPECT_EQ(*population_size(task->spec(), false), *population_size(task->spec(), true));
  }
}

TEST(Population, CountsBeforeItLists) {
  const auto size = [](const DataConfig& config, bool ordered) {
    return *population_size(describe_task(config), ordered);
  };
  EXPECT_EQ(size(config_of("copy", 10, 4, "last"), true), 10000);
  EXPECT_EQ(size(config_of("copy", 10, 4, "last"), false), 2200);
  EXPECT_EQ(size(config_of("copy", 100, 4, "last"), false), 17170000);
  EXPECT_EQ(size(config_of("unigram", 10, 4, "last"), true), 100000);
  EXPECT_EQ(size(config_of("unigram", 10, 4, "last"), false), 22000);
  EXPECT_GT(size(config_of("copy", 10, 4000, "last"), true), 1e300) << "uncountable, but no error";
  DataConfig recall;
  recall.task = "recall";
  recall.context = 0;
  EXPECT_EQ(population_size(describe_task(recall), true), std::nullopt);
  DataConfig regression;
  regression.task = "regression";
  EXPECT_EQ(population_size(describe_task(regression), true), std::nullopt);
}

// Orders beyond what a factorial of a double can hold.
TEST(Population, WeighsLongSequences) {
  const auto task = make_task(config_of("copy", 2, 2001, "last"));
  const SequenceSet population = list_population(*task, false);
  ASSERT_EQ(population.size(), 4002);
  BatchMemory memory(task->shape(), 16);
  double total = 0, ones = 0;
  for (int64_t first = 0; first < population.size(); first += 16) {
    memory.batch.samples = static_cast<int>(std::min<int64_t>(16, population.size() - first));
    population.fill(first, memory.batch);
    for (int lane = 0; lane < 16; ++lane) {
      total += memory.batch.weights[lane];
      for (int i = 0; i < 2001; ++i) ones += double{memory.batch.weights[lane]} * memory.batch.tokens[i * 16 + lane];
    }
  }
  EXPECT_NEAR(total / 4002, 1, 1e-6);
  EXPECT_NEAR(ones / total, 1000.5, 1e-3);
}

TEST(Population, EquallyProbableSequencesWeighOne) {
  const auto task = make_task(config_of("copy", 10, 3, "every"));
  const SequenceSet population = list_population(*task, true);
  BatchMemory memory(task->shape(), 112);
  population.fill(100, memory.batch);
  for (int i = 0; i < 3 * 112; ++i) ASSERT_EQ(memory.batch.weights[i], 1.0f);
}

}  // namespace
}  // namespace atto
