#include "lab/figures/geometry/grid_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atto {

GridMap GridMap::resampled(size_t side) const {
  GridMap coarse;
  // Where the centre of cell i lies among `count` points, as index and share of the way to the next.
  const auto place = [side](size_t i, size_t count) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(side) * static_cast<double>(count - 1);
    const size_t below = std::min(static_cast<size_t>(at), count - 2);
    return std::pair<size_t, double>{below, at - static_cast<double>(below)};
  };
  const auto between = [](const std::vector<double>& axis, std::pair<size_t, double> at) {
    return axis[at.first] * (1 - at.second) + axis[at.first + 1] * at.second;
  };
  for (size_t i = 0; i < side; ++i) {
    coarse.row_at.push_back(between(row_at, place(i, row_at.size())));
    coarse.column_at.push_back(between(column_at, place(i, column_at.size())));
  }
  for (size_t i = 0; i < side; ++i)
    for (size_t j = 0; j < side; ++j) {
      const auto [row, down] = place(i, row_at.size());
      const auto [column, across] = place(j, column_at.size());
      const double* corner = values.data() + row * column_at.size() + column;
      const double* next = corner + column_at.size();
      coarse.values.push_back((1 - down) * ((1 - across) * corner[0] + across * corner[1]) +
                              down * ((1 - across) * next[0] + across * next[1]));
    }
  return coarse;
}

std::vector<size_t> thin_path(std::span<const double> x, std::span<const double> y, double x_range, double y_range,
                              double apart) {
  std::vector<size_t> kept;
  size_t last = x.size();
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    last = i;
    if (!kept.empty()) {
      const double dx = (x[i] - x[kept.back()]) / x_range, dy = (y[i] - y[kept.back()]) / y_range;
      if (!(std::hypot(dx, dy) >= apart)) continue;
    }
    kept.push_back(i);
  }
  if (!kept.empty() && kept.back() != last) kept.push_back(last);
  return kept;
}

}  // namespace atto
