#include "lab/figures/numbers/phase_map.h"

#include <algorithm>

#include "lab/figures/panels/arrange.h"

namespace atto {

std::optional<MapKeys> map_keys(const std::string& across, const std::string& down,
                                const std::vector<const Cell*>& cells) {
  std::string columns = across, rows = down;
  std::vector<std::string> free;
  for (const SweptKey& one : swept_keys(cells))
    if (one.key != across && one.key != down) free.push_back(one.key);
  for (std::string* key : {&rows, &columns}) {
    if (!key->empty()) continue;
    if (free.empty()) return std::nullopt;
    *key = free.front();
    free.erase(free.begin());
  }
  return MapKeys{swept_key(columns, cells), swept_key(rows, cells), free};
}

std::vector<PhaseMap> phase_maps(const FigureSource& source, const MapKeys& keys, Panels panels,
                                 const std::string& quantity, bool log) {
  const bool share = is_share(source.cells, quantity);
  if (panels.keys.empty() && panels.filters.empty()) panels.keys = keys.others;
  std::vector<PhaseMap> maps;
  for (const Panel& panel : arrange(panels, "", source)) {
    PhaseMap& map = maps.emplace_back();
    map.title = panel.title;
    std::vector<bool> taken(keys.across.values.size() * keys.down.values.size());
    for (const Member& member : panel.members) {
      MapEntry entry{member.cell,
                     keys.across.index(key_value(member.cell->cell, keys.across.key)),
                     keys.down.index(key_value(member.cell->cell, keys.down.key)),
                     {},
                     Estimate::kNone};
      const size_t place = entry.row * keys.across.values.size() + entry.column;
      if (taken[place]) {
        ++map.covered;
        continue;
      }
      taken[place] = true;
      entry.estimate = cell_estimate(*member.cell, quantity, share);
      entry.estimate.seeds = member.cell->seeds;
      const double shade = entry.estimate.beyond() ? entry.estimate.reached : entry.estimate.value;
      if (std::isfinite(shade) && (!log || share || shade > 0)) entry.shade = shade;
      map.entries.push_back(entry);
    }
  }
  return maps;
}

Ramp ramp_over(const std::vector<PhaseMap>& maps, bool share, bool log) {
  if (share) return {};
  Ramp ramp{INFINITY, -INFINITY, log};
  for (const PhaseMap& map : maps)
    for (const MapEntry& entry : map.entries) {
      if (std::isnan(entry.shade)) continue;
      ramp.low = std::min(ramp.low, entry.shade);
      ramp.high = std::max(ramp.high, entry.shade);
    }
  // Equal values still need a ramp to lie on.
  if (ramp.low == ramp.high) ramp.high = log ? 10 * ramp.low : ramp.low + std::max(std::abs(ramp.low), 1.0);
  return ramp;
}

std::vector<Segment> level_line(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, double level) {
  const size_t columns = keys.across.values.size();
  std::vector<double> field(columns * keys.down.values.size(), Estimate::kNone);
  for (const MapEntry& entry : map.entries) {
    const bool unknown = entry.estimate.beyond() && entry.shade < level;
    if (!unknown) field[entry.row * columns + entry.column] = ramp.height(entry.shade);
  }
  return contour(field, columns, ramp.height(level));
}

}  // namespace atto
