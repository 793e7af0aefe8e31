// The cells of a sweep over two keys as maps, ready to be drawn.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "lab/figures/geometry/contour.h"
#include "lab/figures/numbers/quantities.h"

namespace atto {

// The two keys of the maps; those that vary besides have a map for each of their values.
struct MapKeys {
  SweptKey across, down;
  std::vector<std::string> others;
};
// Keys that are "" are chosen: `down` is the first that varies, `across` the next. Nothing when too few vary.
std::optional<MapKeys> map_keys(const std::string& across, const std::string& down,
                                const std::vector<const Cell*>& cells);

struct MapEntry {
  const CellResult* cell = nullptr;
  size_t column = 0, row = 0;
  Estimate estimate;
  double shade = Estimate::kNone;  // what the colour tells: the value, or how far it got
};

struct PhaseMap {
  std::string title;
  std::vector<MapEntry> entries;
  size_t covered = 0;  // cells left out, as another has their place
};
// One for each panel, or for each value of the keys that vary besides. With `log` only positive values have a shade.
std::vector<PhaseMap> phase_maps(const FigureSource& source, const MapKeys& keys, Panels panels,
                                 const std::string& quantity, bool log);

// What the colours run over.
struct Ramp {
  double low = 0, high = 1;
  bool log = false;

  double height(double value) const { return log ? std::log(value) : value; }
  double position(double value) const { return (height(value) - height(low)) / (height(high) - height(low)); }
};
// From 0 to 1 for shares, else from the least to the largest shade.
Ramp ramp_over(const std::vector<PhaseMap>& maps, bool share, bool log);

// Where the map crosses the level, x and y counting the values of its keys. A median beyond the end of the runs lies
// above a level that they reached; whether it lies above a higher one is not known, and no line passes by it.
std::vector<Segment> level_line(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, double level);

}  // namespace atto
