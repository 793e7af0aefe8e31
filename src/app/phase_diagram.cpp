#include "app/phase_diagram.h"

#include <algorithm>
#include <limits>

#include "app/cell_table.h"
#include "lab/words.h"
#include "numeric/statistics.h"

namespace atto {
namespace {

struct Axis {
  std::string key;
  std::vector<Value> values;  // sorted: numbers by size, words by letters

  size_t index(const Value& value) const {
    return static_cast<size_t>(std::find(values.begin(), values.end(), value) - values.begin());
  }
};

std::vector<Axis> axes_of(const std::vector<CellResult>& cells) {
  std::vector<Axis> axes;
  for (const CellResult& cell : cells) {
    for (const auto& setting : cell.cell.overrides) {
      auto axis = std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.key == setting.first; });
      if (axis == axes.end()) axis = axes.insert(axes.end(), {setting.first, {}});
      if (axis->index(setting.second) == axis->values.size()) axis->values.push_back(setting.second);
    }
  }
  std::erase_if(axes, [](const Axis& axis) { return axis.values.size() < 2; });
  for (Axis& axis : axes) std::sort(axis.values.begin(), axis.values.end());
  return axes;
}

const Value* value_of(const Overrides& overrides, const std::string& key) {
  for (const auto& [name, value] : overrides)
    if (name == key) return &value;
  return nullptr;
}

}  // namespace

std::optional<double> cell_value(const CellResult& cell, const std::string& name) {
  for (const QuantitySummary& quantity : cell.quantities) {
    if (quantity.name != name) continue;
    if (quantity.fraction) return quantity.fraction;
    const std::vector<double> values = known_values(quantity);
    return values.empty() ? std::nullopt : std::optional(quantile(values, 0.5));
  }
  for (const ObservableSummary& one : cell.observables)
    if (one.address == name && cell.seeds > 0) return one.median;
  return std::nullopt;
}

std::string default_quantity(const StudyResult& result) {
  std::string first;
  for (const CellResult& cell : result.cells) {
    for (const QuantitySummary& one : cell.quantities) {
      if (one.name == "plateau.present") return one.name;
      if (first.empty()) first = one.name;
    }
    if (first.empty() && !cell.observables.empty()) first = cell.observables.front().address;
  }
  return first;
}

std::optional<HeatMap> phase_diagram(const StudyResult& result, const std::string& quantity) {
  const std::vector<Axis> axes = axes_of(result.cells);
  if (axes.size() != 2) return std::nullopt;
  const Axis &down = axes[0], &across = axes[1];
  HeatMap map;
  map.row_name = down.key;
  map.column_name = across.key;
  for (const Value& value : down.values) map.rows.push_back(to_text(value));
  for (const Value& value : across.values) map.columns.push_back(to_text(value));
  map.values.resize(map.rows.size() * map.columns.size());
  std::vector<bool> taken(map.values.size());
  bool shares = true;
  double largest = 0;
  for (const CellResult& cell : result.cells) {
    const Value *row = value_of(cell.cell.overrides, down.key), *column = value_of(cell.cell.overrides, across.key);
    if (row == nullptr || column == nullptr) return std::nullopt;
    const size_t place = down.index(*row) * map.columns.size() + across.index(*column);
    if (taken[place]) return std::nullopt;
    taken[place] = true;
    map.values[place] = cell_value(cell, quantity);
    for (const QuantitySummary& one : cell.quantities)
      if (one.name == quantity && !known_values(one).empty()) shares = shares && one.fraction;
    for (const ObservableSummary& one : cell.observables) shares = shares && one.address != quantity;
    if (map.values[place] && *map.values[place] < std::numeric_limits<double>::infinity())
      largest = std::max(largest, *map.values[place]);
  }
  map.high = shares ? 1 : largest;
  return map;
}

}  // namespace atto
