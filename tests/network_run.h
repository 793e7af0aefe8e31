// A run on a network of attention, with what tests look at in reach.
#pragma once

#include "spec/live_run.h"

namespace atto {

struct NetworkRun : LiveRun {
  explicit NetworkRun(const RunConfig& config) : LiveRun(RunSpec(config)) {}

  const RunConfig& config() const { return spec().config(); }
  const Network& network() const { return attention()->network(); }
  const Task& task() const { return attention()->task(); }
  std::span<const float> parameters() const { return trainer().parameters(); }
  std::span<const float> gradients() const { return trainer().gradients(); }
  std::vector<WeightView> weights() const { return trainer().weights(); }
  int64_t step() const { return trainer().step(); }
  std::optional<double> best_loss() const { return trainer().best_loss(); }

  BatchResult evaluate() { return trainer().evaluate(); }
  void update() { trainer().update(); }
  BatchResult advance(int64_t to) { return trainer().advance(to); }
  BatchResult test() { return trainer().test(); }
  bool should_stop() { return trainer().should_stop(); }
  Snapshot snapshot() const { return trainer().snapshot(); }
  void restore(const Snapshot& snapshot) { trainer().restore(snapshot); }
};

}  // namespace atto
