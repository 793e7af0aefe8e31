// The learning rate of a step.
#pragma once

#include "training/config.h"

namespace atto {

// Rises linearly over the warm-up (step 0 already moves). Then its height goes on by the schedule, and the rate is
// rate · (final_rate + (1 - final_rate) · height):
//
//   constant      1
//   linear, cosine  from 1 at the end of the warm-up to 0 at the last step
//   hold          1 for a share of the steps after the warm-up, then linear to 0
//   steps         drop^k after k drops
//   inverse-root  √(w / (step + 1)) with w the warm-up, at least 1
//
// points: the rate itself, on straight lines between the points, the first and the last value outside.
double rate_at(const TrainingConfig& config, int64_t step);

// Error(config) where a schedule lacks what it needs, or what is set has no effect.
void validate_rates(const TrainingConfig& config);

}  // namespace atto
