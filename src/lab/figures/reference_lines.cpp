#include "lab/figures/reference_lines.h"

#include <algorithm>
#include <cmath>

#include "lab/figures/table.h"

namespace atto {

double level_of(const ReferenceLine& line, const CellResult& cell) {
  return line.level.evaluate([&](const std::string& key) {
    return (key == "best_loss" ? cell.best_loss : value_number(cell, key)).value_or(NAN);
  });
}

std::vector<double> levels_of(const std::vector<ReferenceLine>& lines, const Panel& panel) {
  std::vector<double> levels;
  for (const ReferenceLine& line : lines)
    for (const Member& member : panel.members)
      if (const double level = level_of(line, *member.cell); std::isfinite(level)) levels.push_back(level);
  return levels;
}

Json reference_layers(const std::vector<ReferenceLine>& lines, const Panel& panel, const Json& y, size_t& marks) {
  DataTable levels({"level", "label"});
  std::vector<std::pair<double, std::string>> seen;
  for (const ReferenceLine& line : lines) {
    for (const Member& member : panel.members) {
      const std::pair<double, std::string> one{level_of(line, *member.cell), line.label};
      if (!std::isfinite(one.first) || std::find(seen.begin(), seen.end(), one) != seen.end()) continue;
      seen.push_back(one);
      levels.row({one.first, one.second});
    }
  }
  Json layers = Json::array();
  if (levels.rows() == 0) return layers;
  marks += 3 * levels.rows();
  layers.push_back(
      {{"data", levels.data()}, {"mark", {{"type", "rule"}, {"style", "reference"}}}, {"encoding", {{"y", y}}}});
  // Curves that come to rest at a level cross its label: the rim keeps it legible.
  for (const std::string style : {"reference-rim", "reference-label"})
    layers.push_back({{"data", levels.data()},
                      {"mark", {{"type", "text"}, {"style", style}, {"align", "right"}, {"baseline", "bottom"}}},
                      {"encoding", {{"y", y}, {"x", {{"value", "width"}}}, {"text", {{"field", "label"}}}}}});
  return layers;
}

}  // namespace atto
