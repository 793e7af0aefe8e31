// The cells of a sweep over two keys as a map.
#pragma once

#include <optional>
#include <string>

#include "app/heat_map.h"
#include "lab/results.h"

namespace atto {

// One number for a cell: the share of seeds for a yes/no quantity, the median over seeds for any other quantity and for
// the final value of an observable. Missing where the cell does not have it.
std::optional<double> cell_value(const CellResult& cell, const std::string& name);

// "plateau.present" when the study looks for it, otherwise its first quantity, otherwise its first observable.
std::string default_quantity(const StudyResult& result);

// Nothing when the sweep does not have exactly two keys that take several values, at most one cell for each pair.
std::optional<HeatMap> phase_diagram(const StudyResult& result, const std::string& quantity);

}  // namespace atto
