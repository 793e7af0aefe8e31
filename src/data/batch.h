// Some sequences as the network sees them, and how they are drawn.
//
// Everything is batch-innermost: entry [position][lane] stands at position * lanes + lane.
#pragma once

#include <cstdint>

#include "base/arena.h"

namespace atto {

// What a task's sequences look like. Tokens have a vocabulary; vectors have inputs and outputs instead.
struct BatchShape {
  int vocabulary = 0;   // V, kinds of token; 0: the input is vectors
  int context = 0;      // C, positions
  int first_asked = 0;  // queries are asked at positions first_asked .. C-1
  int inputs = 0;       // F, features of an input vector
  int outputs = 0;      // d, features of an answer vector

  int asked() const { return context - first_asked; }
  bool vectors() const { return vocabulary == 0; }
};

// Lanes beyond `samples` are padding: they hold valid tokens or vectors and weight 0.
struct Batch {
  int context = 0;
  int lanes = 0;    // stride, a multiple of 16
  int samples = 0;  // real sequences, at most `lanes`
  int first_asked = 0;
  // [C][lanes], with room for C+1 rows rounded up to a multiple of 4 (random words come in fours)
  int32_t* tokens = nullptr;
  int32_t* targets = nullptr;  // [C - first_asked][lanes]
  float* weights = nullptr;    // [C - first_asked][lanes], 1 for a drawn sequence, 0 for padding
  float* inputs = nullptr;     // [C][F][lanes], with room for C·F rows rounded up to a multiple of 4
  float* answers = nullptr;    // [d][lanes], at the last position
  // [C][lanes]: 1 where a position holds what the last query needs, else 0. Only for observers, and only from tasks
  // that say has_relevant().
  float* relevant = nullptr;
  // Where answers are distributions: [V][rows], the probability of each token in each of so many distributions, and
  // targets name one of the rows. nullptr: targets are tokens.
  const float* distributions = nullptr;
  int distribution_rows = 0;
};

// The memory behind a batch.
class BatchMemory {
 public:
  BatchMemory(const BatchShape& shape, int lanes);

  Batch batch;
  const Arena<int32_t>& tokens() const { return tokens_; }
  const Arena<int32_t>& targets() const { return targets_; }

  static size_t bytes(const BatchShape& shape, int lanes);

 private:
  Arena<int32_t> tokens_, targets_;
  Arena<float> weights_, inputs_, answers_, relevant_;
};

// How varied the data are. A schedule may change it during a run; tests use the default, which repeats nothing.
struct Diversity {
  int64_t repeat = 1;  // B, copies of what is relevant within a sequence
  double cross = 0;    // p, how often it is the same across sequences
};

// Which sequences: first_sample, first_sample + 1, ... of step `step`.
struct Draw {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t first_sample = 0;
  Diversity diversity = {};
  // Of training: the sequences of a step, and the steps there will be at most.
  int64_t samples = 0, steps = 0;
};

}  // namespace atto
