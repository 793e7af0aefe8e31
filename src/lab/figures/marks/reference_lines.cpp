#include "lab/figures/marks/reference_lines.h"

#include <algorithm>
#include <cmath>

#include "lab/figures/marks/inline_data.h"
#include "lab/figures/marks/spec.h"

namespace atto {
double level_of(const ReferenceLine& line, const CellResult& cell) {
  return line.level.evaluate([&](const std::string& key) {
    return (key == "best_loss" ? cell.best_loss : value_number(cell, key)).value_or(NAN);
  });
}

std::vector<Level> levels_of(const std::vector<ReferenceLine>& lines, const Panel& panel, bool log_scale) {
  std::vector<Level> levels;
  for (const ReferenceLine& line : lines) {
    for (const Member& member : panel.members) {
      const Level level{level_of(line, *member.cell), line.label};
      const bool drawn = std::isfinite(level.value) && !(log_scale && level.value <= 0);
      if (drawn && std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
    }
  }
  return levels;
}

Json reference_layers(const std::vector<Level>& levels, const Json& y, int64_t height, size_t& marks) {
  Json layers = Json::array();
  if (levels.empty() || y["scale"]["domain"].is_null()) return layers;
  DataTable rules({"level"}), labels({"level", "label"});
  std::vector<Level> labelled;
  for (const Level& level : levels) {
    rules.row({level.value});
    const bool free = std::none_of(labelled.begin(), labelled.end(), [&](const Level& other) {
      return other.label == level.label ||
             std::abs(place_on(y, level.value, height) - place_on(y, other.value, height)) < kLabelHeight;
    });
    if (!free) continue;
    labelled.push_back(level);
    labels.row({level.value, level.label});
  }
  marks += rules.rows() + 2 * labels.rows();
  layers.push_back(
      {{"data", rules.data()}, {"mark", {{"type", "rule"}, {"style", "reference"}}}, {"encoding", {{"y", y}}}});
  // Curves that come to rest at a level cross its label: the rim keeps it legible.
  for (const std::string style : {"reference-rim", "reference-label"})
    layers.push_back({{"data", labels.data()},
                      {"mark", {{"type", "text"}, {"style", style}, {"align", "right"}, {"baseline", "bottom"}}},
                      {"encoding", {{"y", y}, {"x", {{"value", "width"}}}, {"text", {{"field", "label"}}}}}});
  return layers;
}

}  // namespace atto
