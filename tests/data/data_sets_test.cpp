// Training sets that stay the same: drawn once, or a part of all sequences.
#include "data/data_sets.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "data/listed.h"
#include "data/population.h"
#include "data/set_sampler.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig set_config(const std::string& task, int64_t vocab, int64_t context) {
  DataConfig config;
  config.task = task;
  config.vocab = vocab;
  config.context = context;
  if (task == "recall") config.context = 0, config.pairs = context;
  return config;
}

// The sequences of a set with their weights, in its order.
std::vector<std::pair<Sequence, float>> sequences(const Task& task, const SequenceSet& set) {
  BatchMemory memory(task.shape(), 16);
  std::vector<std::pair<Sequence, float>> all;
  for (int64_t first = 0; first < set.size(); first += 16) {
    memory.batch.samples = static_cast<int>(std::min<int64_t>(16, set.size() - first));
    set.fill(first, memory.batch);
    for (int lane = 0; lane < memory.batch.samples; ++lane) {
      Sequence one;
      for (int i = 0; i < task.context(); ++i) one.first.push_back(memory.batch.tokens[i * 16 + lane]);
      for (int i = 0; i < task.asked(); ++i) one.second.push_back(memory.batch.targets[i * 16 + lane]);
      all.emplace_back(one, memory.batch.weights[lane]);
    }
  }
  return all;
}

// Its number in the set, which is its first token here.
SequenceSet numbered(const Task& task, int64_t size) {
  SequenceSet set(task.shape(), size);
  BatchMemory memory(task.shape(), 16);
  memory.batch.samples = 1;
  for (int64_t i = 0; i < size; ++i) {
    memory.batch.tokens[0] = static_cast<int32_t>(i);
    set.keep(i, memory.batch);
  }
  return set;
}

// What a fresh sampler gives at a step, in tiles of `lanes`.
std::vector<int32_t> batch_of(const Task& task, SetSampler& sampler, int64_t step, int samples, int lanes) {
  std::vector<int32_t> numbers;
  BatchMemory memory(task.shape(), lanes);
  for (int first = 0; first < samples; first += lanes) {
    memory.batch.samples = std::min(lanes, samples - first);
    sampler.fill(step, first, memory.batch);
    numbers.insert(numbers.end(), memory.batch.tokens, memory.batch.tokens + memory.batch.samples);
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(memory.batch.weights[lane], lane < memory.batch.samples ? 1 : 0);
  }
  return numbers;
}

TEST(SetSampler, TakesEverySequenceOnceAnEpoch) {
  const auto task = make_task(set_config("copy", 4000, 1));
  for (const int64_t size : {1, 7, 100, 3000}) {
    const SequenceSet set = numbered(*task, size);
    constexpr int kSamples = 40;
    SetSampler sampler(set, true, kSamples, 3);
    std::vector<int32_t> stream;
    for (int64_t step = 0; static_cast<int64_t>(stream.size()) < 3 * size; ++step) {
      const std::vector<int32_t> batch = batch_of(*task, sampler, step, kSamples, 16);
      stream.insert(stream.end(), batch.begin(), batch.end());
      // Any step, asked for alone and in other tiles, is the same: nothing has to be remembered.
      if (step % 7 != 0) continue;
      SetSampler resumed(set, true, kSamples, 3);
      ASSERT_EQ(batch_of(*task, resumed, step, kSamples, 48), batch) << "size " << size;
    }
    std::set<std::vector<int32_t>> orders;
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const std::vector<int32_t> order(stream.begin() + epoch * size, stream.begin() + (epoch + 1) * size);
      EXPECT_EQ(std::set<int32_t>(order.begin(), order.end()).size(), static_cast<size_t>(size));
      orders.insert(order);
    }
    if (size >= 100) {
      EXPECT_EQ(orders.size(), 3u) << "each epoch has an order of its own";
    }
  }
}

TEST(SetSampler, ShufflesEvenly) {
  std::vector<int> seen(24);
  std::vector<uint32_t> order(4);
  for (uint64_t number = 0; number < 2400; ++number) {
    shuffle(5, Purpose::epochs, number, order);
    std::vector<uint32_t> left{0, 1, 2, 3};
    size_t rank = 0;
    for (const uint32_t one : order) {
      const auto at = std::find(left.begin(), left.end(), one);
      rank = rank * left.size() + static_cast<size_t>(at - left.begin());
      left.erase(at);
    }
    ++seen[rank];
  }
  EXPECT_LT(chi_square(seen, std::vector<double>(24, 1.0 / 24)), 49.7);  // 99.9 % of 23 degrees of freedom
}

TEST(SetSampler, DrawsOthersByTheirWeight) {
  const auto task = make_task(set_config("copy", 10, 1));
  SequenceSet set = numbered(*task, 5);
  const std::vector<float> weights{0.5f, 0, 1.5f, 2, 1};
  std::copy(weights.begin(), weights.end(), set.weights().begin());
  SetSampler sampler(set, false, 1000, 3), resumed(set, false, 1000, 3);
  std::vector<int> seen(5);
  for (int64_t step = 0; step < 20; ++step)
    for (const int32_t number : batch_of(*task, sampler, step, 1000, 48)) ++seen[static_cast<size_t>(number)];
  EXPECT_EQ(seen[1], 0);
  std::vector<double> probabilities;
  for (const float weight : weights) probabilities.push_back(weight / 5);
  EXPECT_LT(chi_square(seen, probabilities), 16.3);  // 99.9 % of 3 degrees of freedom
  EXPECT_EQ(batch_of(*task, resumed, 7, 1000, 16), batch_of(*task, sampler, 7, 1000, 112));
}

TEST(DataSets, AreDrawnOnceFromTheDataSeed) {
  for (const std::string name : {"copy", "nearest", "unigram", "bigram", "recall"}) {
    SCOPED_TRACE(name);
    DataConfig config = set_config(name, 12, 4);
    config.size = 300;
    const auto task = make_task(config);
    const DataSets sets = make_sets(config, *task, true, false, 5);
    EXPECT_FALSE(sets.test) << "test data are drawn afresh";
    ASSERT_EQ(sets.train->size(), 300);
    const auto all = sequences(*task, *sets.train);
    EXPECT_EQ(all, sequences(*task, *make_sets(config, *task, false, true, 5).train)) << "for any gradient and network";
    EXPECT_NE(all, sequences(*task, *make_sets(config, *task, true, false, 6).train));
    EXPECT_GT(std::set(all.begin(), all.end()).size(), 150u);
    for (const auto& [sequence, weight] : all) EXPECT_EQ(weight, 1);
    config.size = 200;
    const auto fewer = sequences(*task, *make_sets(config, *task, true, false, 5).train);
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), all.begin())) << "a smaller set is the start of a larger one";
  }
}

TEST(DataSets, ASplitPutsEverySequenceInOnePart) {
  DataConfig zipf = set_config("copy", 4, 4);
  zipf.exponent = 1;
  for (DataConfig config : {set_config("copy", 5, 3), zipf, set_config("nearest", 4, 3), set_config("unigram", 4, 2),
                            set_config("bigram", 4, 2)}) {
    SCOPED_TRACE(config.task);
    config.split = 0.3;
    const auto task = make_task(config);
    const auto whole = listed(*task, true);
    const DataSets sets = make_sets(config, *task, false, false, 9);
    const auto train = sequences(*task, *sets.train), test = sequences(*task, *sets.test);
    EXPECT_EQ(static_cast<int64_t>(train.size()), std::lround(0.3 * static_cast<double>(whole.size())));
    EXPECT_EQ(train.size() + test.size(), whole.size());
    std::set<Sequence> seen;
    for (const auto* part : {&train, &test}) {
      double total = 0, mass = 0;
      for (const auto& [sequence, weight] : *part) {
        ASSERT_TRUE(whole.contains(sequence));
        EXPECT_TRUE(seen.insert(sequence).second) << "comes twice";
        total += weight;
        mass += whole.at(sequence);
      }
      EXPECT_NEAR(total / static_cast<double>(part->size()), 1, 1e-6);
      for (const auto& [sequence, weight] : *part)
        EXPECT_NEAR(weight / static_cast<double>(part->size()), whole.at(sequence) / mass, 1e-6);
    }
    EXPECT_NE(train, sequences(*task, *make_sets(config, *task, false, false, 8).train));
    const SetSizes sizes = set_sizes(config, task->spec(), false, false);
    EXPECT_EQ(sizes.train, train.size());
    EXPECT_EQ(sizes.test, test.size());
    EXPECT_EQ(sizes.equal, config.exponent == 0 && config.task != "bigram");
  }
}

// What a step reads together stands together: the answers of all rows for one token.
TEST(DataSets, TurnTheDistributionsOfAChainRound) {
  DataConfig config = set_config("markov", 4, 3);
  config.chain = ChainKind::drift;
  config.forward = 0.75;
  const auto task = make_task(config);
  const std::vector<double> rows = task->distributions();
  const DataSets sets = make_sets(config, *task, false, true, 1);
  ASSERT_EQ(sets.distributions.size(), rows.size());
  const size_t count = rows.size() / 4;
  for (size_t row = 0; row < count; ++row)
    for (size_t token = 0; token < 4; ++token)
      EXPECT_EQ(sets.distributions[token * count + row], static_cast<float>(rows[row * 4 + token]));
}

TEST(DataSets, SayHowMuchTheyTake) {
  EXPECT_EQ(set_sizes(set_config("copy", 10, 4), describe_task(set_config("copy", 10, 4)), false, false).train, 0);
  const BatchShape shape = describe_task(set_config("copy", 10, 4)).shape;
  EXPECT_EQ(SequenceSet::bytes(shape, 10000), 10000u * 6 * sizeof(float));
  EXPECT_EQ(set_sizes(set_config("copy", 10, 4), describe_task(set_config("copy", 10, 4)), false, true).bytes(shape),
            2200u * 6 * sizeof(float));
}

TEST(DataSets, RefuseWhatCannotWork) {
  DataConfig both = set_config("copy", 5, 3);
  both.size = 10;
  both.split = 0.5;
  expect_refusal(both, "data.size = 10 and data.split = 0.5 are two ways to a training set",
                 "set one of them, and leave the other 0");
  DataConfig vectors = set_config("regression", 2, 4);
  vectors.size = 10;
  expect_refusal(vectors, "data.size = 10, but the task 'regression' has vectors and no tokens to keep",
                 "leave data.size 0, or take a task with tokens");
  DataConfig moving = set_config("recall", 8, 3);
  moving.repeat = 2;
  moving.schedule = DiversityKind::at_switch;
  moving.switch_step = 10;
  EXPECT_NO_THROW(describe_task(moving));
  moving.size = 10;
  expect_refusal(moving,
                 "data.size = 10 draws the training data once, so data.schedule = \"switch\" would change nothing",
                 "set data.schedule = \"constant\", or data.size = 0 for fresh data in every step");
  DataConfig unlisted = set_config("recall", 8, 3);
  unlisted.split = 0.5;
  expect_refusal(unlisted, "data.split = 0.5, but the sequences of the task 'recall' cannot be listed one by one",
                 "set data.size for a training set that is drawn once, or take another task");
  DataConfig many = set_config("copy", 100, 4);
  many.split = 0.5;
  expect_refusal(many, "data.split = 0.5, but there are 100000000 different sequences, of at most 4194304",
                 "lower data.vocab or data.context, or set data.size for a training set that is drawn once");
  DataConfig few = set_config("copy", 2, 2);
  few.split = 0.1;
  expect_refusal(few, "data.split = 0.1 of 4 sequences leaves none to train on",
                 "move data.split towards 0.5, or raise data.vocab or data.context");
  few.split = 1;
  expect_refusal(few, "data.split = 1 of 4 sequences leaves none to test on",
                 "move data.split towards 0.5, or raise data.vocab or data.context");
}

}  // namespace
}  // namespace atto
