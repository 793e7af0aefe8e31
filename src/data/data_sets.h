// What a run trains and tests on: fresh draws, or sets of sequences that stay the same.
//
//   data.size     a set drawn once
//   data.split    all sequences that can be listed, divided into those to train on and those to test on
//   a table       its rows
//   an expected gradient of anything else   all sequences there are
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sequence_set.h"
#include "data/task.h"

namespace atto {

struct SetSizes {
  double train = 0, test = 0;  // sequences; 0: drawn afresh
  bool equal = true;           // all training sequences weigh the same
  bool soft = false;           // their answers are distributions (Listing::soft)
  size_t building = 0;         // bytes it takes for a moment to make them, their own included

  size_t bytes(const BatchShape& shape) const;  // of the sets
};

// `ordered` as in data/population.h; `expected`: the gradient is that of all training data.
SetSizes set_sizes(const DataConfig& config, const TaskSpec& task, bool ordered, bool expected);

// Throws Error(config) where data.size or data.split does not fit the task.
void validate_sets(const DataConfig& config, const TaskSpec& task);

struct DataSets {
  std::optional<SequenceSet> train, test;  // nothing: drawn afresh
  std::vector<float> distributions;        // [V][rows], where the answers are (data/batch.h)
};
// What `seed` makes of the sizes above.
DataSets make_sets(const DataConfig& config, const Task& task, bool ordered, bool expected, uint64_t seed);

}  // namespace atto
