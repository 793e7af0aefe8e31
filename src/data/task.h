// A task on tokens: where the sequences come from and what is asked about them. A new task is one file plus its line in
// task.cpp. (Regression, whose tokens are vectors, is in data/regression.h.)
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
      nullptr;  // [C][lanes], with room for C+1 rows rounded up to a multiple of 4 (random words come in fours)
  int32_t* targets = nullptr;  // [C - first_asked][lanes]
  float* weights = nullptr;    // [C - first_asked][lanes], 1 for a real sequence, 0 for padding
};

// A loss to compare with: "best" is the lowest any predictor can reach, "guess" what a network gets that knows which
// tokens are in the context but not which of them is asked for.
struct ReferenceLoss {
  std::string name;
  double loss;  // in nats
};

class Task {
 public:
  virtual ~Task() = default;

  int vocabulary() const { return vocab_ + (bos_ ? 1 : 0); }  // kinds of token the network must embed, [BOS] included
  int context() const { return context_; }
  bool bos() const { return bos_; }  // a [BOS] token, number vocabulary() - 1, opens every sequence
  // Queries are asked at this position and all later ones: C-1 when only the last is.
  int first_asked() const { return first_asked_; }
  // Answers a sequence asks for; the mean loss divides by samples × this.
  int asked() const { return context_ - first_asked_; }

  // Fills `batch` with the sequences first_sample, first_sample + 1, ... of step `step`. Pure: the same arguments give
  // the same tokens whatever was asked before and however a batch is cut into pieces.
  virtual void fill(uint64_t seed, uint64_t step, uint32_t first_sample, const TokenBatch& batch) const = 0;

  // Probability of each ordinary token at a random position; [BOS] has none.
  virtual std::vector<double> frequencies() const = 0;
  virtual std::vector<ReferenceLoss> references() const = 0;
  std::optional<double> best_loss() const;

 protected:
  Task(const DataConfig& config, int first_asked, bool bos = false);

  // For tasks that ask for the next token: how many tokens to draw into batch.tokens, and what turns them into input
  // and targets ([BOS] t0 t1 .. → t0 t1 t2 .., or t0 t1 .. → t1 t2 .. without it).
  int drawn() const { return bos_ ? context_ : context_ + 1; }
  void ask_next(const TokenBatch& batch) const;

  // (C-2)/(C-1)·V as a perplexity: one of the C-1 earlier tokens is the answer, guessed at random.
  ReferenceLoss guess_among_earlier() const;

 private:
  int vocab_, context_, first_asked_;
  bool bos_;
};

// The tasks on tokens. Throws Error(config) when the sizes do not fit the task.
std::unique_ptr<Task> make_task(const DataConfig& config);
std::vector<std::string> task_names();

// What there is to compare a loss with, for any task.
std::vector<ReferenceLoss> reference_losses(const DataConfig& config);

}  // namespace atto
