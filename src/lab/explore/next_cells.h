// Where in a plane of cells further runs tell most about a contour: the line at which the share of runs that show
// something passes a level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atto {

// One cell of a plane and how its runs came out.
struct SampledCell {
  int64_t x = 0, y = 0;  // its place; neighbours differ by at most one in each
  int64_t yes = 0, runs = 0;
};

enum class CellSide { open, below, above };

struct LevelSet {
  // Places in the list of cells, the one first whose next run tells most; decided cells are not in it.
  std::vector<size_t> order;
  // On which side of the level the share of each cell lies, by an interval that holds at every number of runs: whoever
  // chooses cells by what they showed may use no other.
  std::vector<CellSide> sides;
};

// Error(usage) for counts that make no sense or a level that is no share. With a tolerance a cell whose share may lie
// on the other side of the level, but by no more than that, counts as decided, too: one on the contour would never be.
LevelSet explore_level(const std::vector<SampledCell>& cells, double level, double tolerance = 0);

}  // namespace atto
