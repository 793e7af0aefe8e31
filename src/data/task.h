// A task: where the sequences come from and what is asked about them. A new task is one file plus its line in task.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/config.h"

namespace atto {

// A loss to compare with: "best" is the lowest any predictor can reach, "guess" what a network gets that knows which
// tokens are in the context but not which of them is asked for.
struct ReferenceLoss {
  std::string name;
  double loss;  // in nats
};

// What a task draws for one sequence, where every possible draw can be listed.
struct Listing {
  int tokens = 0;  // how many; each may be any of the ordinary ones
  // The first so many may change places: that changes neither their probability nor any answer.
  int interchangeable = 0;
};

struct RegressionTarget;  // data/regression.h

class Task {
 public:
  virtual ~Task() = default;

  const BatchShape& shape() const { return shape_; }
  int vocabulary() const { return shape_.vocabulary; }  // kinds of token the network must embed, [BOS] included
  int context() const { return shape_.context; }
  bool bos() const { return bos_; }  // a [BOS] token, number vocabulary() - 1, opens every sequence
  // Queries are asked at this position and all later ones: C-1 when only the last is.
  int first_asked() const { return shape_.first_asked; }
  // Answers a sequence asks for; the mean loss divides by samples × this.
  int asked() const { return shape_.asked(); }
  // Whether fill() says which positions hold what the last query needs.
  virtual bool has_relevant() const { return false; }
  // The map that regression asks for; nullptr for other tasks.
  virtual const RegressionTarget* target() const { return nullptr; }

  // Fills `batch` with the sequences of a draw. Pure: the same arguments give the same sequences whatever was asked
  // before and however a batch is cut into pieces.
  virtual void fill(const Draw& draw, const Batch& batch) const = 0;

  // Probability of each ordinary token at a random position; [BOS] has none. Empty for vectors.
  virtual std::vector<double> frequencies() const = 0;

  // For tasks that can list their sequences (data/population.h): nothing where they cannot.
  virtual std::optional<Listing> listing() const { return std::nullopt; }
  // Turns the tokens of a listed draw, which stand in batch.tokens, into the input and its targets, in every lane.
  virtual void answer(const Batch&) const {}
  // [V][V], the probability of each ordinary token after another; empty where tokens are independent.
  virtual std::vector<double> transitions() const { return {}; }

  virtual std::vector<ReferenceLoss> references() const = 0;
  std::optional<double> best_loss() const;
  virtual size_t bytes() const { return 0; }  // of its tables, where they are large beside a network

 protected:
  // A task on tokens.
  Task(const DataConfig& config, int first_asked, bool bos = false);
  // A task on vectors.
  explicit Task(const BatchShape& shape) : shape_(shape), bos_(false) {}
  // Refuses a context no batch of sequences is drawn for.
  static void check_context(const DataConfig& config);

  bool last_only() const { return first_asked() == context() - 1; }  // asks at the last position alone
  // For tasks that ask for the next token: how many tokens to draw into batch.tokens, and what turns them into input
  // and targets ([BOS] t0 t1 .. → t0 t1 t2 .., or t0 t1 .. → t1 t2 .. without it).
  int drawn() const { return bos_ ? context() : context() + 1; }
  void ask_next(const Batch& batch) const;

  // (C-2)/(C-1)·V as a perplexity: one of the C-1 earlier tokens is the answer, guessed at random.
  ReferenceLoss guess_among_earlier() const;

 private:
  BatchShape shape_;
  bool bos_;
};

// Throws Error(config) when the sizes do not fit the task. `seed` draws what stays the same throughout a run, such as
// the map that regression asks for.
std::unique_ptr<Task> make_task(const DataConfig& config, uint64_t seed = 0);
std::vector<std::string> task_names();

// What there is to compare a loss with, for any task.
std::vector<ReferenceLoss> reference_losses(const DataConfig& config);

}  // namespace atto
