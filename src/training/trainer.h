// One run: a network, its optimizer and its data, advanced step by step on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/task.h"
#include "network/network.h"
#include "training/config.h"

namespace atto {

// What the batch of a step showed, before the update it led to.
struct BatchResult {
  double loss = 0;      // mean cross-entropy in nats over the asked positions
  double accuracy = 0;  // share of them whose largest logit is the answer's
};

// All that changes during a run; a restored snapshot continues bit for bit.
struct Snapshot {
  int64_t step = 0;
  int64_t calm_steps = 0;  // how long the stop condition has held, this step not counted
  std::vector<float> parameters;
  std::vector<float> optimizer;
};

class Trainer {
 public:
  explicit Trainer(const RunConfig& config);
  ~Trainer();

  const RunConfig& config() const;
  const Network& network() const;
  const Task& task() const;
  std::span<const float> parameters() const;

  int64_t step() const;  // updates done so far

  // Loss and gradients of batch `step()`: fresh data, so also an unbiased test loss. No update.
  BatchResult evaluate();
  // The gradients evaluate() left, for checks and observables; same layout as parameters().
  std::span<const float> gradients() const;
  // Applies the update of the last evaluate() and moves on to the next step.
  void update();
  // True once the configured stop condition has held long enough (call after evaluate()).
  bool should_stop() const;

  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atto
