// The half-space that holds a set of points most comfortably.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace atto {

struct Margin {
  std::vector<double> direction;  // unit vector s
  double width = 0;               // min_i s·x_i > 0
};

// The unit vector s that maximises min_i s·x_i over points x_i (rows of a row-major matrix), when that is positive;
// nothing when no half-space through the origin holds all points inside. By duality s points to the point of the
// convex hull that is nearest to the origin, and the width is its distance. Wolfe's method finds it exactly: finitely
// many steps, each a small linear system.
std::optional<Margin> widest_margin(std::span<const double> points, size_t columns);

}  // namespace atto
