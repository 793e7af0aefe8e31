// Numbers in a shape: what an expression reads and makes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace atto {

using Shape = std::vector<int64_t>;  // {} is a number, {n} a vector, {rows, columns} a matrix

inline size_t element_count(const Shape& shape) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  return count;
}

// "one number" or "[10][2]".
std::string shape_text(std::span<const int64_t> shape);

struct Tensor {
  Shape shape;
  std::vector<double> values;  // row-major
};

}  // namespace atto
