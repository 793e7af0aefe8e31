// The training of a network on tokens or vectors: its layers, its optimizer and its data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/task.h"
#include "network/network.h"
#include "training/trajectory.h"

namespace atto {

class Trainer final : public Trajectory {
 public:
  explicit Trainer(const RunConfig& config);
  ~Trainer() override;

  const Network& network() const;
  const Task& task() const;
  std::span<const float> parameters() const;

  int64_t step() const override;
  // Of batch `step()`: fresh data, so where nothing repeats also an unbiased test loss. Or of all sequences there are.
  BatchResult evaluate() override;
  BatchResult advance(int64_t to) override;
  // The gradients evaluate() left, for checks and observables; same layout as parameters().
  std::span<const float> gradients() const;
  void update() override;
  // On held-out data of the same kind that repeat nothing, under the present parameters. They are the same sequences
  // throughout a run.
  BatchResult test() const;
  bool should_stop() const override;
  std::optional<double> best_loss() const override;
  std::vector<WeightView> weights() const override;

  Snapshot snapshot() const override;
  void restore(const Snapshot& snapshot) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atto
