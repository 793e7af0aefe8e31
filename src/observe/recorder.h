// Trains one run and measures it by plan.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "observe/plan.h"
#include "observe/recording.h"
#include "training/config.h"

namespace atto {

// Called every 64 steps with the steps done; return false to abandon the run.
using StepCallback = std::function<bool(int64_t steps_done)>;

struct RecordResult {
  bool finished = false;  // false: the callback abandoned it; `recording` is partial and must not be stored
  Recording recording;
};
// Throws Error(config) for an address the network does not have.
RecordResult record_run(const RunConfig& config, const ObservePlan& plan, const StepCallback& on_progress = {});

// Checks that every address exists for this network; throws Error(config) with the nearest name.
void validate(const ObservePlan& plan, const RunConfig& config);

struct AddressHelp {
  std::string address, help;
};
// The addresses this network offers, for help and for messages.
std::vector<AddressHelp> known_addresses(const RunConfig& config);

}  // namespace atto
