// Levels that theory gives, dashed across a panel.
#pragma once

#include <vector>

#include "lab/figures/arrange.h"

namespace atto {

// One rule for each different level in the panel, with its label at the right end; `y` is the axis, on field "level".
Json reference_layers(const std::vector<ReferenceLine>& lines, const Panel& panel, const Json& y, size_t& marks);

// The levels themselves, those that are finite.
std::vector<double> levels_of(const std::vector<ReferenceLine>& lines, const Panel& panel);

// The level in one cell; NaN where it has none.
double level_of(const ReferenceLine& line, const CellResult& cell);

}  // namespace atto
