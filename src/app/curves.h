// Curves over the seeds of a cell.
#pragma once

#include <string>
#include <vector>

#include "app/plot.h"
#include "observe/recording.h"

namespace atto {

// Median and quartiles at every step any run measured. A run that met its stop condition keeps its last value, one that
// diverged drops out there.
Curve curve_over_seeds(const std::vector<Recording>& runs, const std::string& address);

}  // namespace atto
