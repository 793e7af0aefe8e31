// Refuses a sweep that does not fit into the machine's memory before it starts.
#pragma once

#include <vector>

#include "lab/study.h"

namespace atto {

// Any `threads` of the runs may be in flight together, each with up to `recordings` recordings in memory, its own
// included. Error(resources) with the figures.
void require_memory(const std::vector<const Run*>& runs, const ObservePlan& plan, size_t threads, size_t recordings);

}  // namespace atto
