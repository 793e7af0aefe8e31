// Which sequences of a set make up the batch of a step.
//
// Sequences of equal weight are taken epoch by epoch: every one once, in an order that is new each time. Others are
// drawn by their weight, independently. Both are functions of the seed and the step, so a resumed run goes on with the
// same batches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/alias_table.h"
#include "data/sequence_set.h"
#include "kernels/random.h"

namespace atto {

// 0 .. size-1 in random order: order number `number` of this seed and purpose.
void shuffle(uint64_t seed, Purpose purpose, uint64_t number, std::vector<uint32_t>& order);

class SetSampler {
 public:
  // For steps of `samples` sequences. `equal`: all sequences of the set have the same weight.
  SetSampler(const SequenceSet& set, bool equal, int64_t samples, uint64_t seed);

  // Fills the batch with samples first, first + 1, ... of a step.
  void fill(int64_t step, int64_t first, const Batch& batch);

  static size_t bytes(double size, bool equal);     // that one takes
  static size_t building(double size, bool equal);  // that it takes for a moment to make one, its own included

 private:
  void fill_by_epochs(int64_t first, const Batch& batch);
  void fill_by_weight(int64_t step, int64_t first, const Batch& batch);

  const SequenceSet& set_;
  int64_t samples_;
  uint64_t seed_;
  int64_t epoch_ = -1;                 // the last one asked for, whose order is kept
  std::vector<uint32_t> order_;        // [size], of equal weights
  std::optional<AliasTables> tables_;  // of other weights
};

}  // namespace atto
