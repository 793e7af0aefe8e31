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
#include "training/parameter_groups.h"

namespace atto {

// What an optimizer moves: one arena with its gradients, group by group. Gaps between matrices have gradient 0.
struct Parameters {
  std::span<float> values;
  std::span<const float> gradients;
  std::span<const ParameterGroup> groups;
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
  // Room to compute in. Nothing in it lasts from one update to the next.
  void reserve_scratch(size_t count) { scratch_ = Arena<float>(count); }

 protected:
  // The factors of the parameters from `first` on; nullptr: all are 1.
  const float* factors(size_t first = 0) const { return factors_.empty() ? nullptr : factors_.data() + first; }
  float* scratch() { return scratch_.data(); }

 private:
  Arena<float> memory_, scratch_;
  std::vector<float> factors_;
};

// What weight decay λ means: nothing; a penalty ½λ‖w‖² whose gradient λw joins that of the loss; or apart from the
// gradient ("decoupled"), w ← w - rate · λ · w.
enum class DecayKind { none, penalty, decoupled };

// What an optimizer's file says of it; registry.cpp has the list.
struct OptimizerKind {
  // Numbers it remembers for a parameter arena of `count` floats.
  size_t (*memory)(std::span<const Matrix> matrices, size_t count) = nullptr;
  // With that much memory.
  std::unique_ptr<Optimizer> (*make)(const TrainingConfig& config, size_t memory) = nullptr;
  // Its updates are infinitely small: the model integrates the flow itself (theory/flow_model.h).
  bool flow = false;
  DecayKind decay = DecayKind::none;
  // Those of training.momentum, beta1, beta2 and epsilon that it reads; a run that sets another is refused.
  std::vector<std::string> settings = {};
  bool needs_momentum = false;
  // Numbers it needs room for while it updates; nullptr: none.
  size_t (*scratch)(std::span<const Matrix> matrices) = nullptr;
};

const OptimizerKind& optimizer_kind(const TrainingConfig& config);
std::vector<std::string> optimizer_names();

// Floats that an optimizer takes: what it remembers, and room to compute in.
size_t optimizer_memory(const TrainingConfig& config, std::span<const Matrix> matrices, size_t parameter_count);
size_t optimizer_scratch(const TrainingConfig& config, std::span<const Matrix> matrices);
std::unique_ptr<Optimizer> make_optimizer(const TrainingConfig& config, std::span<const Matrix> matrices,
                                          size_t parameter_count);

}  // namespace atto
