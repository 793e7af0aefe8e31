// A task: where the sequences come from and what is asked about them. A new task is one file and one line:
// docs/adding-a-task.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/task_spec.h"

namespace atto {

struct RegressionTarget;  // data/regression.h

class Task {
 public:
  explicit Task(TaskSpec spec) : spec_(std::move(spec)) {}
  virtual ~Task() = default;

  const TaskSpec& spec() const { return spec_; }
  const BatchShape& shape() const { return spec_.shape; }
  int vocabulary() const { return shape().vocabulary; }  // kinds of token the network must embed, [BOS] included
  int context() const { return shape().context; }
  bool bos() const { return spec_.bos; }
  // Queries are asked at this position and all later ones: C-1 when only the last is.
  int first_asked() const { return shape().first_asked; }
  // Answers a sequence asks for; the mean loss divides by samples × this.
  int asked() const { return shape().asked(); }
  // The map that a task with spec().asks_map asks for; nullptr for others.
  virtual const RegressionTarget* target() const { return nullptr; }

  // Fills `batch` with the sequences of a draw. Pure: the same arguments give the same sequences whatever was asked
  // before and however a batch is cut into pieces.
  virtual void fill(const Draw& draw, const Batch& batch) const = 0;

  // Probability of each ordinary token at a random position; [BOS] has none. Empty for vectors.
  virtual std::vector<double> frequencies() const = 0;

  // Where spec().listing says that sequences can be listed: turns the tokens of a listed draw, which stand in
  // batch.tokens, into the input and its targets, in every lane.
  virtual void answer(const Batch&) const {}
  // [V], the probability of the first drawn token, and [V][V], of each after another; empty where tokens are
  // independent.
  virtual std::vector<double> start() const { return frequencies(); }
  virtual std::vector<double> transitions() const { return {}; }
  // [rows][V], what the targets of listed sequences name, where spec().listing says that answers are soft.
  virtual std::vector<double> distributions() const { return {}; }
  // Where spec().rows says that the task holds its sequences: those to train on, or those to test on.
  virtual SequenceSet rows(bool test) const;

  virtual std::vector<ReferenceLoss> references() const { return spec_.references; }
  std::optional<double> best_loss() const;

 protected:
  // For tasks that ask for the next token: turns the spec().drawn() tokens in batch.tokens into input and targets
  // ([BOS] t0 t1 .. → t0 t1 t2 .., or t0 t1 .. → t1 t2 .. without it).
  void ask_next(const Batch& batch) const;
  // Moves the first C-1 tokens on by one position and puts [BOS] before them.
  void open_with_bos(const Batch& batch) const;

 private:
  TaskSpec spec_;
};

// Throws Error(config) when the sizes do not fit the task. `seed` draws what stays the same throughout a run.
std::unique_ptr<Task> make_task(const DataConfig& config, uint64_t seed = 0);
// The same of a configuration that is described already: the runs of a cell share the description.
std::unique_ptr<Task> make_task(const DataConfig& config, const TaskSpec& spec, uint64_t seed);

// What there is to compare a loss with, for any task.
std::vector<ReferenceLoss> reference_losses(const DataConfig& config);

}  // namespace atto
