// A task: where the sequences come from and what is asked about them. A new task is one file plus its line in task.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/config.h"

namespace atto {

// The input of some sequences in the batch-innermost layout: entry [position][lane] stands at position * lanes + lane.
// Lanes beyond `samples` are padding: they hold valid tokens and weight 0.
struct TokenBatch {
  int context = 0;      // C, positions
  int lanes = 0;        // stride, a multiple of 16
  int samples = 0;      // real sequences, at most `lanes`
  int first_asked = 0;  // queries are asked at positions first_asked .. C-1
  int32_t* tokens =
      nullptr;  // [C][lanes], with room for C rounded up to a multiple of 4 rows (random numbers come in fours)
  int32_t* targets = nullptr;  // [C - first_asked][lanes]
  float* weights = nullptr;    // [C - first_asked][lanes], 1 for a real sequence, 0 for padding
};

class Task {
 public:
  virtual ~Task() = default;

  virtual int vocabulary() const = 0;  // kinds of token the network must embed, special tokens included
  virtual int context() const = 0;
  // Queries are asked at this position and all later ones: C-1 when only the last is.
  virtual int first_asked() const = 0;
  // Answers a sequence asks for; the mean loss divides by samples × this.
  int asked() const { return context() - first_asked(); }

  // Fills `batch` with the sequences first_sample, first_sample + 1, ... of step `step`. Pure: the same arguments give
  // the same tokens whatever was asked before and however a batch is cut into pieces.
  virtual void fill(uint64_t seed, uint64_t step, uint32_t first_sample, const TokenBatch& batch) const = 0;

  // The lowest loss any predictor can reach, in nats, where known.
  virtual std::optional<double> best_loss() const { return std::nullopt; }
};

std::unique_ptr<Task> make_task(const DataConfig& config);
std::vector<std::string> task_names();

}  // namespace atto
