// Trains one run and measures it by plan.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "observe/checkpoint.h"
#include "observe/measure_plan.h"
#include "observe/recording.h"
#include "observe/weight_function.h"
#include "spec/run_spec.h"

namespace atto {

struct StepReport {
  int64_t steps_done = 0;
  std::function<Checkpoint()> checkpoint;  // of the run as it stands; valid during the call
};
// Called every 64 steps; return false to abandon the run. Whether and when it takes a checkpoint is its own affair, so
// that no clock has a part in what is recorded.
using StepCallback = std::function<bool(const StepReport& report)>;

struct RecordResult {
  bool finished = false;  // false: the callback abandoned it; `recording` is partial and must not be stored
  Recording recording;
  WeightHistory history =
      {};  // what functions from outside are still to measure; the values of their series are missing
};
// Starts at step 0, or where the checkpoint of a run of the same configuration and plan stands: the record is the same,
// bit for bit. Throws Error(config) for an address the network does not have, CheckpointMisfit for a checkpoint of
// another run.
RecordResult record_run(const RunSpec& spec, const ObservePlan& plan, const StepCallback& on_progress = {},
                        std::optional<Checkpoint> resume = std::nullopt);

// Checks that every address exists for this network; throws Error(config) with the nearest name.
void validate(const ObservePlan& plan, const RunSpec& spec);

}  // namespace atto
