// Sums and products of sizes that stay at the largest number instead of wrapping around: an estimate of an absurd
// request must not look modest.
#pragma once

#include <cstddef>
#include <limits>

namespace atto {

inline size_t saturating_sum(size_t a, size_t b) {
  size_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<size_t>::max() : result;
}

inline size_t saturating_product(size_t a, size_t b) {
  size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<size_t>::max() : result;
}

}  // namespace atto
