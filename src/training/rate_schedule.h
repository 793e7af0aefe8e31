// The learning rate of a step.
#pragma once

#include "training/config.h"

namespace atto {

// Rises linearly over the warm-up (step 0 already moves), then stays or falls to final_rate · rate at the last step.
double rate_at(const TrainingConfig& config, int64_t step);

}  // namespace atto
