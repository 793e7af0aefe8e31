// Fewer points of a curve that look the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace atto {

// Indices of at most `count` points (at least 2), first and last included, rising. In each of the equally long
// stretches between them the point is kept that spans the largest triangle with its neighbours (Steinarsson 2013), so
// that spikes stay. Points whose y is not finite are left out.
std::vector<size_t> thin(std::span<const double> x, std::span<const double> y, size_t count);

// At most `count` of 0 .. size-1, evenly spaced, first and last included.
std::vector<size_t> evenly(size_t size, size_t count);

}  // namespace atto
