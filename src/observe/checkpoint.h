// A run in the middle of its training, as a value: what it takes to go on as if nothing had happened.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "training/trainer.h"

namespace atto {

struct Checkpoint {
  Snapshot snapshot;
  // The values of each series in turn, in the order of the plan. When they were measured follows from the plan: at
  // every step that was due before the snapshot's.
  std::vector<double> measured;
};

// The checkpoint is of another run, or was tampered with: nothing goes on from it.
class CheckpointMisfit : public Error {
 public:
  explicit CheckpointMisfit(const std::string& message) : Error(ErrorKind::internal, message) {}
};

}  // namespace atto
