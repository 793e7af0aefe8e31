// How a gradient becomes an update.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "training/config.h"

namespace atto {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Update number `step` (0-based) at learning rate `rate`.
  virtual void update(int64_t step, double rate, std::span<float> parameters, std::span<const float> gradients) = 0;
  // Multiplies the rate of each parameter from here on; as many factors as parameters, or none.
  virtual void scale_rates(std::vector<float> factors) = 0;
  // What it remembers between updates, for snapshots.
  virtual std::span<float> memory() = 0;
};

// Numbers it remembers between updates: Adam two for each parameter, SGD one.
size_t optimizer_memory(const TrainingConfig& config, size_t parameter_count);
std::unique_ptr<Optimizer> make_optimizer(const TrainingConfig& config, size_t parameter_count);

}  // namespace atto
