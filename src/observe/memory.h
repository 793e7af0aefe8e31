// What a run will take, counted before it starts from what its parts say they allocate.
#pragma once

#include <cstddef>

#include "observe/measure_plan.h"
#include "spec/run_spec.h"

namespace atto {

struct RunMemory {
  size_t building = 0;    // what its tables take while they are made, before anything else is there
  size_t training = 0;    // weights, gradients, optimizer, activations, tables
  size_t observing = 0;   // probe sequences, and the steps at which something is due
  size_t series = 0;      // what is measured
  size_t weights = 0;     // a copy of the final ones
  size_t checkpoint = 0;  // a copy of all it takes to go on; not part of the total, as it soon goes to the store

  size_t total() const;
  size_t recording() const;  // series and weights: what goes to the store
};

RunMemory estimate_memory(const RunSpec& spec, const ObservePlan& plan);

}  // namespace atto
