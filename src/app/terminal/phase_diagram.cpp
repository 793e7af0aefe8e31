#include "app/terminal/phase_diagram.h"

#include <algorithm>
#include <limits>

namespace atto {

std::optional<HeatMap> phase_diagram(const StudyResult& result, const std::string& quantity) {
  std::vector<const Cell*> cells;
  std::vector<const CellResult*> with_runs;
  for (const CellResult& cell : result.cells) {
    cells.push_back(&cell.cell);
    if (cell.seeds > 0) with_runs.push_back(&cell);
  }
  const std::vector<SweptKey> axes = swept_keys(cells);
  if (axes.size() != 2) return std::nullopt;
  const SweptKey &down = axes[0], &across = axes[1];
  HeatMap map;
  map.row_name = down.key;
  map.column_name = across.key;
  for (const Value& value : down.values) map.rows.push_back(to_text(value));
  for (const Value& value : across.values) map.columns.push_back(to_text(value));
  map.values.resize(map.rows.size() * map.columns.size());
  std::vector<bool> taken(map.values.size());
  double largest = 0;
  for (const CellResult& cell : result.cells) {
    const size_t row = down.index(key_value(cell.cell, down.key));
    const size_t place = row * map.columns.size() + across.index(key_value(cell.cell, across.key));
    if (taken[place]) return std::nullopt;
    taken[place] = true;
    map.values[place] = cell_value(cell, quantity);
    if (map.values[place] && *map.values[place] < std::numeric_limits<double>::infinity())
      largest = std::max(largest, *map.values[place]);
  }
  map.high = is_share(with_runs, quantity) ? 1 : largest;
  return map;
}

}  // namespace atto
