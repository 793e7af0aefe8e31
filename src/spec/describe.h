// How a RunSpec is made. Internal to the room.
#pragma once

#include <variant>

#include "spec/run_spec.h"

namespace atto {

// Validates the configuration, the relations between all its settings included, and describes what it asks for. Throws
// Error(config).
std::variant<AttentionSpec, EmergenceSpec> describe_run(const RunConfig& config);

}  // namespace atto
