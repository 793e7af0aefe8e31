// All sequences that a task can draw, each with its probability: what an expected loss is the sum over.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/task.h"

namespace atto {

// How many there are, or nothing where the task cannot list them. `ordered` tells whether the order of tokens that the
// task calls interchangeable makes a difference to whoever reads them; if not, a multiset of them stands for all its
// orders. May be more than any machine could hold.
std::optional<double> population_size(const TaskSpec& task, bool ordered);

class Population {
 public:
  // Of a task that can list its sequences.
  Population(const Task& task, bool ordered);

  int64_t size() const { return size_; }
  // Fills the batch with sequences first, first + 1, ... The weight of each is its probability · size(), which is 1
  // where all are equally probable and keeps small probabilities clear of the smallest float.
  void fill(int64_t first, const Batch& batch) const;

  static size_t bytes(const TaskSpec& task, bool ordered);  // that one takes

 private:
  int64_t size_;
  std::vector<int32_t> tokens_, targets_;  // [C][size], [asked][size]
  std::vector<float> weights_;             // [size]
};

}  // namespace atto
