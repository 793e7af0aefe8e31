// The toy network of the theory of emergence, trained step by step: by gradients of random batches or of the expected
// loss.
#pragma once

#include <memory>

#include "theory/emergence_run.h"

namespace atto {

class ScoresTrainer final : public EmergenceRun {
 public:
  // Takes its memory with the first evaluate() or look, so that a configuration can be checked for free.
  explicit ScoresTrainer(const RunConfig& config);
  ~ScoresTrainer() override;

  int64_t step() const override;
  BatchResult evaluate() override;
  void update() override;
  bool should_stop() const override;
  std::vector<WeightView> weights() const override;
  EmergenceMeasures measures() const override;
  Snapshot snapshot() const override;
  void restore(const Snapshot& snapshot) override;

  std::span<const float> gradients() const;

 private:
  struct State;
  State& state() const;
  mutable std::unique_ptr<State> state_;
};

}  // namespace atto
