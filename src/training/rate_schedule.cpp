#include "training/rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace atto {

double rate_at(const TrainingConfig& config, int64_t step) {
  if (step < config.warmup) return config.rate * static_cast<double>(step + 1) / static_cast<double>(config.warmup);
  const double span = static_cast<double>(std::max<int64_t>(config.steps - 1 - config.warmup, 1));
  const double share = std::min(static_cast<double>(step - config.warmup) / span, 1.0);  // 0 .. 1 of the fall
  double height = 1;
  if (config.schedule == RateSchedule::linear) height = 1 - share;
  if (config.schedule == RateSchedule::cosine) height = 0.5 * (1 + std::cos(std::numbers::pi * share));
  return config.rate * (config.final_rate + (1 - config.final_rate) * height);
}

}  // namespace atto
