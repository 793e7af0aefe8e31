// Sequences that stay the same throughout a run, with their answers and weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch.h"

namespace atto {

class SequenceSet {
 public:
  // So many sequences of tokens, of weight 1, to be written by keep().
  SequenceSet(const BatchShape& shape, int64_t size);

  int64_t size() const { return size_; }
  // The samples of a batch become the sequences first, first + 1, ...
  void keep(int64_t first, const Batch& batch);
  std::span<float> weights() { return weights_; }
  std::span<const float> weights() const { return weights_; }

  // Fills the batch with sequences first, first + 1, ... and their weights. Padding holds token 0 and weight 0.
  void fill(int64_t first, const Batch& batch) const;
  // Lanes lane .. lane + which.size() - 1 get the sequences of these numbers, without their weights.
  void pick(std::span<const uint32_t> which, const Batch& batch, int lane) const;
  // The sequences of these numbers as a set of their own. Weights are scaled so that their mean is 1.
  SequenceSet part(std::span<const uint32_t> which) const;

  static size_t bytes(const BatchShape& shape, double size);  // that one takes

 private:
  BatchShape shape_;
  int64_t size_;
  std::vector<int32_t> tokens_, targets_;  // [C][size], [asked][size]
  std::vector<float> weights_;             // [size], of mean 1
};

}  // namespace atto
