// From a configuration to the run it asks for.
#pragma once

#include <memory>

#include "training/trajectory.h"

namespace atto {

// The kind of run the configuration asks for; validates it first.
std::unique_ptr<Trajectory> make_trajectory(const RunConfig& config);

}  // namespace atto
