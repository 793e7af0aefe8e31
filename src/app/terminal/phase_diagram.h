// The cells of a sweep over two keys as a map.
#pragma once

#include <optional>
#include <string>

#include "app/terminal/heat_map.h"
#include "lab/results/cell_values.h"

namespace atto {

// Nothing when the sweep does not have exactly two keys that take several values, at most one cell for each pair.
std::optional<HeatMap> phase_diagram(const StudyResult& result, const std::string& quantity);

}  // namespace atto
