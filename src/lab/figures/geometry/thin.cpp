#include "lab/figures/geometry/thin.h"

#include <algorithm>
#include <cmath>

namespace atto {

std::vector<size_t> thin(std::span<const double> x, std::span<const double> y, size_t count) {
  std::vector<size_t> finite;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(y[i])) finite.push_back(i);
  count = std::max<size_t>(count, 2);
  if (finite.size() <= count) return finite;

  std::vector<size_t> kept{finite.front()};
  const size_t stretches = count - 2, inner = finite.size() - 2;
  const auto begin_of = [&](size_t stretch) { return 1 + stretch * inner / stretches; };
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    const size_t from = begin_of(stretch), to = begin_of(stretch + 1);
    // The next stretch stands for its mean; after the last one comes the last point.
    const size_t next_to = stretch + 1 < stretches ? begin_of(stretch + 2) : finite.size();
    double mean_x = 0, mean_y = 0;
    for (size_t i = to; i < next_to; ++i) {
      mean_x += x[finite[i]];
      mean_y += y[finite[i]];
    }
    mean_x /= static_cast<double>(next_to - to);
    mean_y /= static_cast<double>(next_to - to);
    const double last_x = x[kept.back()], last_y = y[kept.back()];
    size_t best = finite[from];
    double largest = -1;
    for (size_t i = from; i < to; ++i) {
      const double area =
          std::abs((last_x - mean_x) * (y[finite[i]] - last_y) - (last_x - x[finite[i]]) * (mean_y - last_y));
      if (area > largest) {
        largest = area;
        best = finite[i];
      }
    }
    kept.push_back(best);
  }
  kept.push_back(finite.back());
  return kept;
}

std::vector<size_t> evenly(size_t size, size_t count) {
  std::vector<size_t> chosen;
  if (size == 0 || count == 0) return chosen;
  if (count == 1 || size == 1) return {size - 1};
  count = std::min(size, count);
  for (size_t i = 0; i < count; ++i) chosen.push_back(i * (size - 1) / (count - 1));
  return chosen;
}

}  // namespace atto
