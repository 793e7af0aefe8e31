#include "lab/figures/numbers/reference_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"

namespace atto {

double level_of(const ReferenceLine& line, const CellResult& cell) {
  return line.level.number([&](const std::string& key) {
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

std::vector<PlacedLabel> place_labels(const std::vector<Level>& levels, const Json& y, int64_t height) {
  // Every label once, then its repeats, as many as there is room for.
  std::vector<Level> wanted;
  const auto same_label = [](const std::vector<Level>& list, const Level& level) {
    return std::any_of(list.begin(), list.end(), [&](const Level& one) { return one.label == level.label; });
  };
  std::vector<Level> repeats;
  for (const Level& level : levels) (same_label(wanted, level) ? repeats : wanted).push_back(level);
  wanted.insert(wanted.end(), repeats.begin(), repeats.end());
  const size_t room = static_cast<size_t>(static_cast<double>(height) / kLabelHeight);
  if (wanted.size() > room) wanted.resize(room);
  std::vector<PlacedLabel> labels;
  for (const Level& level : wanted) labels.push_back({level, place_on(y, level.value, height)});
  std::stable_sort(labels.begin(), labels.end(),
                   [](const PlacedLabel& a, const PlacedLabel& b) { return a.place < b.place; });
  // A label stands on its line; what would touch the one below moves up, and what then leaves the panel moves down.
  double lowest = -std::numeric_limits<double>::infinity();
  for (PlacedLabel& label : labels) {
    label.place = std::max(label.place, lowest);
    lowest = label.place + kLabelHeight;
  }
  double highest = static_cast<double>(height) - kLabelHeight;
  for (auto label = labels.rbegin(); label != labels.rend() && label->place > highest; ++label) {
    label->place = highest;
    highest -= kLabelHeight;
  }
  return labels;
}

Json reference_layers(const std::vector<Level>& levels, const Json& y, int64_t height, size_t& marks) {
  Json layers = Json::array();
  if (levels.empty() || y["scale"]["domain"].is_null()) return layers;
  DataTable rules({"level"}), labels({"at", "label"});
  for (const Level& level : levels) rules.row({level.value});
  for (const PlacedLabel& one : place_labels(levels, y, height))
    labels.row({value_at(y, one.place, height), one.level.label});
  marks += rules.rows() + 2 * labels.rows();
  layers.push_back(
      {{"data", rules.data()}, {"mark", {{"type", "rule"}, {"style", "reference"}}}, {"encoding", {{"y", y}}}});
  Json beside = y;
  beside["field"] = "at";
  // Curves that come to rest at a level cross its label: the rim keeps it legible.
  for (const std::string style : {"reference-rim", "reference-label"})
    layers.push_back({{"data", labels.data()},
                      {"mark", {{"type", "text"}, {"style", style}, {"align", "right"}, {"baseline", "bottom"}}},
                      {"encoding", {{"y", beside}, {"x", {{"value", "width"}}}, {"text", {{"field", "label"}}}}}});
  return layers;
}

}  // namespace atto
