// How a gradient becomes an update. A new optimizer is one file and one line: docs/adding-an-optimizer.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "network/matrix.h"
#include "training/config.h"

namespace atto {

// What an optimizer moves: one arena with its gradients, and which matrix stands where in both. Gaps between matrices
// have gradient 0.
struct Parameters {
  std::span<const Matrix> matrices;
  std::span<float> values;
  std::span<const float> gradients;
};

class Optimizer {
 public:
  explicit Optimizer(size_t memory) : memory_(memory) {}
  virtual ~Optimizer() = default;
  // Update number `step` (0-based) at learning rate `rate`.
  virtual void update(int64_t step, double rate, const Parameters& parameters) = 0;
  // Multiplies the rate of each parameter from here on; as many factors as parameters, or none.
  void scale_rates(std::vector<float> factors) { factors_ = std::move(factors); }
  // What it remembers between updates, for snapshots; zeros at first.
  std::span<float> memory() { return memory_.span(); }

 protected:
  const float* factors() const { return factors_.empty() ? nullptr : factors_.data(); }

 private:
  Arena<float> memory_;
  std::vector<float> factors_;
};

// What an optimizer's file says of it; registry.cpp has the list.
struct OptimizerKind {
  // Numbers it remembers for a parameter arena of `count` floats.
  size_t (*memory)(std::span<const Matrix> matrices, size_t count) = nullptr;
  // With that much memory.
  std::unique_ptr<Optimizer> (*make)(const TrainingConfig& config, size_t memory) = nullptr;
  // Its updates are infinitely small: the model integrates the flow itself (theory/flow_model.h).
  bool flow = false;
};

const OptimizerKind& optimizer_kind(const TrainingConfig& config);
std::vector<std::string> optimizer_names();

std::unique_ptr<Optimizer> make_optimizer(const TrainingConfig& config, std::span<const Matrix> matrices,
                                          size_t parameter_count);

}  // namespace atto
