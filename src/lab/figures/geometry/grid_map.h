// A function given on a grid, and the coarser grid a figure has room for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace atto {

// Values [rows][columns] over rising, evenly spaced coordinates.
struct GridMap {
  std::vector<double> row_at, column_at;
  std::vector<double> values;

  // At the centres of side × side equal cells that cover the same rectangle, by bilinear interpolation; NaN where a
  // neighbour is.
  GridMap resampled(size_t side) const;
};

// Indices of points of a path that are far enough apart to be seen: each at least `apart` from the one kept before it,
// in units of the two ranges; first and last included. Points that are not finite are left out.
std::vector<size_t> thin_path(std::span<const double> x, std::span<const double> y, double x_range, double y_range,
                              double apart);

}  // namespace atto
