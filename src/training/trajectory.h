// One run in progress, whatever it trains: advanced step by step on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/config.h"

namespace atto {

// What the batch of a step showed, before the update it led to; all data, where the gradient is the expected one.
struct BatchResult {
  double loss = 0;  // mean over the batch: cross-entropy in nats over the asked positions, or half the squared error
  double accuracy = 0;  // share of answers whose largest logit is the right one's; 0 where there are no logits
};

// A weight matrix under the field's name, row-major; valid until the run goes on.
struct WeightView {
  std::string name;
  int64_t rows, columns;
  std::span<const float> values;
};

// All that changes during a run; one that restores it continues bit for bit.
struct Snapshot {
  int64_t step = 0;
  int64_t calm_steps = 0;  // how long the stop condition has held, this step not counted
  std::vector<float> parameters;
  std::vector<float> optimizer;
  std::vector<double> extra;  // whatever else a kind of run changes as it goes
};

class Trajectory {
 public:
  explicit Trajectory(const RunConfig& config) : config_(config) {}
  virtual ~Trajectory() = default;
  Trajectory(const Trajectory&) = delete;
  Trajectory& operator=(const Trajectory&) = delete;

  const RunConfig& config() const { return config_; }
  virtual int64_t step() const = 0;  // updates done so far

  // Loss and gradients at `step()`. No update.
  virtual BatchResult evaluate() = 0;
  // Applies the update of the last evaluate() and moves on to the next step.
  virtual void update() = 0;
  // update() and evaluate() until step `to`, at least once, and no further than a loss that is not finite or a step at
  // which should_stop() is true: what a run does between two measurements. Returns the last evaluation.
  virtual BatchResult advance(int64_t to);
  // True once the configured stop condition has held long enough (call after evaluate()).
  virtual bool should_stop() const = 0;

  virtual std::optional<double> best_loss() const = 0;  // the lowest the task allows, where known
  virtual std::vector<WeightView> weights() const = 0;

  virtual Snapshot snapshot() const = 0;
  // Of a run of the same configuration; earlier or later than where this one stands.
  virtual void restore(const Snapshot& snapshot) = 0;

 private:
  RunConfig config_;
};

// The stop condition of a run: loss at most training.stop_loss for training.stop_hold steps on end.
class StopCondition {
 public:
  explicit StopCondition(const TrainingConfig& config) : limit_(config.stop_loss), hold_(config.stop_hold) {}

  void see(double loss) { now_ = loss <= limit_; }
  void advance() {
    steps_ = now_ ? steps_ + 1 : 0;
    now_ = false;
  }
  bool reached() const { return now_ && steps_ + 1 >= hold_; }

  int64_t steps() const { return steps_; }  // for how many steps before this one it held
  void restore(int64_t steps) {
    steps_ = steps;
    now_ = false;
  }

 private:
  double limit_;
  int64_t hold_, steps_ = 0;
  bool now_ = false;
};

// Puts the weights and the optimizer's memory of a snapshot back in their places; Error(internal) when they do not fit.
void restore_weights(const Snapshot& snapshot, std::span<float> parameters, std::span<float> optimizer);

}  // namespace atto
