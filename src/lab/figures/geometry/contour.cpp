#include "lab/figures/geometry/contour.h"

#include <array>
#include <cmath>

namespace atto {
namespace {

struct Corner {
  double x = 0, y = 0, value = 0;
};

struct Point {
  double x = 0, y = 0;
};

}  // namespace

std::vector<Segment> contour(std::span<const double> values, size_t columns, double level) {
  std::vector<Segment> segments;
  if (columns == 0) return segments;
  const size_t rows = values.size() / columns;
  for (size_t row = 0; row + 1 < rows; ++row) {
    for (size_t column = 0; column + 1 < columns; ++column) {
      // Counter-clockwise from the lower left; edge i leads from corner i to the next.
      std::array<Corner, 4> corners;
      bool finite = true;
      double mean = 0;
      for (size_t i = 0; i < 4; ++i) {
        const size_t r = row + (i >= 2), c = column + (i == 1 || i == 2);
        corners[i] = {static_cast<double>(c), static_cast<double>(r), values[r * columns + c]};
        finite = finite && std::isfinite(corners[i].value);
        mean += corners[i].value / 4;
      }
      if (!finite) continue;
      const auto above = [&](size_t i) { return corners[i % 4].value >= level; };
      std::array<Point, 4> crossing;
      std::vector<size_t> crossed;
      for (size_t i = 0; i < 4; ++i) {
        if (above(i) == above(i + 1)) continue;
        const Corner &from = corners[i], &to = corners[(i + 1) % 4];
        const double share = (level - from.value) / (to.value - from.value);
        crossing[i] = {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
        crossed.push_back(i);
      }
      const auto join = [&](size_t a, size_t b) {
        segments.push_back({crossing[a].x, crossing[a].y, crossing[b].x, crossing[b].y});
      };
      if (crossed.size() == 2) join(crossed[0], crossed[1]);
      if (crossed.size() < 4) continue;
      // A saddle: corners 0 and 2 are on one side, 1 and 3 on the other; those unlike the middle are cut off.
      if (above(0) == (mean >= level)) {
        join(0, 1);
        join(2, 3);
      } else {
        join(3, 0);
        join(1, 2);
      }
    }
  }
  return segments;
}

}  // namespace atto
