// Where a field given on a grid crosses a level.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace atto {

struct Segment {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

// Marching squares between neighbouring points of a grid, linear along its edges. `values` is row-major,
// [rows][columns]; a point has x = its column and y = its row. Squares with a corner that is not finite have no line.
// Where a square is a saddle, the mean of its corners tells which of them belong together.
std::vector<Segment> contour(std::span<const double> values, size_t columns, double level);

}  // namespace atto
