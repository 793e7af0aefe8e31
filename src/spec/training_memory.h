// What a run takes while it trains, without what is recorded of it.
#pragma once

#include <cstddef>

#include "training/config.h"

namespace atto {

struct TrainingMemory {
  size_t parameters = 0, optimizer = 0;  // of the total, what a snapshot copies
  size_t total = 0;
  size_t building = 0;  // what it takes for a moment before that, to make its tables
};
TrainingMemory estimate_memory(const RunConfig& config);

}  // namespace atto
