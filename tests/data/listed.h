// The sequences that a task can draw, listed for a look at them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "data/population.h"

namespace atto {

using Sequence = std::pair<std::vector<int32_t>, std::vector<int32_t>>;  // tokens and answers

// Every sequence with its probability, read in batches of `lanes`; one that comes twice is an error.
inline std::map<Sequence, double> listed(const Task& task, bool ordered, int lanes = 48) {
  const SequenceSet population = list_population(task, ordered);
  BatchMemory memory(task.shape(), lanes);
  Batch& batch = memory.batch;
  std::map<Sequence, double> all;
  for (int64_t first = 0; first < population.size(); first += lanes) {
    batch.samples = static_cast<int>(std::min<int64_t>(lanes, population.size() - first));
    population.fill(first, batch);
    for (int lane = 0; lane < lanes; ++lane) {
      Sequence one;
      for (int i = 0; i < task.context(); ++i) one.first.push_back(batch.tokens[i * lanes + lane]);
      for (int i = 0; i < task.asked(); ++i) one.second.push_back(batch.targets[i * lanes + lane]);
      const float weight = batch.weights[lane];
      for (int i = 1; i < task.asked(); ++i) EXPECT_EQ(batch.weights[i * lanes + lane], weight);
      for (const int32_t token : one.first) EXPECT_TRUE(token >= 0 && token < task.vocabulary()) << "padding too";
      if (lane >= batch.samples) EXPECT_EQ(weight, 0) << "padding";
      else EXPECT_TRUE(all.insert({one, weight / static_cast<double>(population.size())}).second) << "comes twice";
    }
  }
  return all;
}

// Sorting the interchangeable tokens, those before the last, must turn the ordered list into that of multisets.
inline void expect_multisets_to_stand_for_orders(const Task& task) {
  std::map<Sequence, double> sorted;
  for (const auto& [ordered, probability] : listed(task, true)) {
    Sequence sequence = ordered;
    std::sort(sequence.first.begin() + (task.bos() ? 1 : 0), sequence.first.end() - 1);
    sorted[sequence] += probability;
  }
  const auto multisets = listed(task, false);
  ASSERT_EQ(multisets.size(), sorted.size());
  EXPECT_LT(multisets.size(), *population_size(task.spec(), true));
  for (const auto& [sequence, probability] : multisets) {
    ASSERT_TRUE(sorted.contains(sequence));
    EXPECT_NEAR(probability / sorted[sequence], 1, 1e-6);
  }
}

}  // namespace atto
