// Refuses a sweep that does not fit into the machine's memory before it starts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/study/study.h"

namespace atto {

struct SweepMemory {
  size_t largest_run = 0;  // bytes of the run that takes most
  size_t together = 0;     // of all that is in memory at the same time, at most
  size_t threads = 0;      // runs in flight
  size_t fitting = 0;      // how many of them would fit into what is available
  size_t available = 0;
  size_t largest_recording = 0;  // of the run that measures most
  size_t judging = 0;            // once all are trained: one recording at a time and what detectors make of it

  size_t most() const { return std::max(together, judging); }
  bool fits() const { return fitting == threads && judging <= available; }
};

// Any `threads` of the runs may be in flight together, and for each of them `waiting` recordings or checkpoints wait to
// be saved.
SweepMemory sweep_memory(const std::vector<const Run*>& runs, const ObservePlan& plan, size_t threads, size_t waiting);

// Bytes that the hungriest detector of the study takes for any of these runs, besides their recordings.
size_t detection_memory(const Study& study, const std::vector<Run>& runs);

// Error(resources) with the figures unless all of it fits.
void require_memory(const SweepMemory& memory);
// The same for judging alone.
void require_judging_memory(size_t needed, size_t available);

}  // namespace atto
