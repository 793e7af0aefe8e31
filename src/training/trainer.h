// One run in progress, whatever it trains: advanced step by step on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "training/config.h"
#include "training/interventions.h"
#include "training/model.h"
#include "training/stop_condition.h"

namespace atto {

class Optimizer;  // training/optimizers/optimizer.h

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
  std::vector<double> extra;  // whatever else the model changes as it goes, then where each intervention stands
};

class Trainer {
 public:
  // `model` must outlive it, and nobody else may ask it for gradients. The parameters stand in `parameters`, zeros that
  // outlive it too, or else in memory of its own.
  Trainer(const TrainingConfig& config, Model& model, std::span<float> parameters = {});
  ~Trainer();

  int64_t step() const { return step_; }  // updates done so far
  std::span<const float> parameters() const { return parameters_; }
  // The gradients evaluate() left, which an update may clip; same layout as parameters().
  std::span<const float> gradients() const { return gradients_.span(); }
  std::vector<WeightView> weights() const;
  std::optional<double> best_loss() const { return model_.best_loss(); }
  // What holds at this step, and which interventions do.
  const Interventions& interventions() const { return interventions_; }

  // Loss and gradients at `step()`. No update.
  BatchResult evaluate();
  // Applies the update of the last evaluate() and moves on to the next step.
  void update();
  // What that update would add to the parameters; nothing moves.
  std::vector<float> next_update() const;
  // The gradients of this step's loss at other parameters, in arenas of their layout; nothing of the run changes.
  void gradient_at(std::span<const float> parameters, std::span<float> gradients) const;
  // update() and evaluate() until step `to`, at least once, and no further than a loss that is not finite or a step at
  // which should_stop() is true: what a run does between two measurements. Returns the last evaluation, at step `to`
  // with its accuracy only if that is asked for.
  BatchResult advance(int64_t to, bool accuracy = true);
  // The loss on test data, under the present parameters.
  BatchResult test();
  // True once the configured stop condition has held long enough (call after evaluate()).
  bool should_stop();

  Snapshot snapshot() const;
  // Of a run of the same configuration; earlier or later than where this one stands. Error(internal) if it is not.
  void restore(const Snapshot& snapshot);

 private:
  // The same without a guard against denormal numbers: callers hold one.
  BatchResult look(bool accuracy = true);
  void apply_update(std::span<float> parameters, std::span<float> gradients) const;
  void step_forward();
  bool stops();
  BatchResult tested();

  TrainingConfig config_;
  Model& model_;
  Arena<float> own_parameters_;  // where nobody gave any
  std::span<float> parameters_;
  Arena<float> gradients_;
  Interventions interventions_;
  std::unique_ptr<Optimizer> optimizer_;
  StopCondition calm_;
  int64_t step_ = 0;
  double last_loss_ = 0;               // of this step
  std::optional<BatchResult> tested_;  // at this step, once somebody has asked
};

}  // namespace atto
