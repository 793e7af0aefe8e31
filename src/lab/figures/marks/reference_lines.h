// Levels that theory gives, dashed across a panel.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/marks/arrange.h"

namespace atto {

// The level in one cell; NaN where it has none.
double level_of(const ReferenceLine& line, const CellResult& cell);

struct Level {
  double value = 0;
  std::string label;
  bool operator==(const Level&) const = default;
};

// The different levels of a panel's cells; without those that are not finite, or not positive on a logarithmic axis.
std::vector<Level> levels_of(const std::vector<ReferenceLine>& lines, const Panel& panel, bool log_scale);

// A rule for each, with its label at the right end. A label stands once, and only where it does not touch another. `y`
// is the axis, on field "level", with its domain; `height` is the panel's in pixels.
Json reference_layers(const std::vector<Level>& levels, const Json& y, int64_t height, size_t& marks);

}  // namespace atto
