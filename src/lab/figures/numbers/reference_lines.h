// Levels that theory gives, dashed across a panel.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/panels/arrange.h"

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

struct PlacedLabel {
  Level level;
  double place = 0;  // of its lower edge, in pixels from the bottom
};
// A label for each level, none touching another: on its line, or moved as little as that takes. Where the panel has no
// room for all, lines that share their label with another go without. `y` is the axis with its domain; `height` is the
// panel's in pixels.
std::vector<PlacedLabel> place_labels(const std::vector<Level>& levels, const Json& y, int64_t height);

// A rule for each, with its label at the right end. `y` is on field "level".
Json reference_layers(const std::vector<Level>& levels, const Json& y, int64_t height, size_t& marks);

}  // namespace atto
