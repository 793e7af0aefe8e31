// Random problems of the theory of emergence, over all its sizes.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "theory/reduced_loss.h"

namespace atto {

// Whole numbers, as often between 10 and 100 as between 10^5 and 10^6.
inline int64_t any_size(double low, double high) {
  const double share = static_cast<double>(*rc::gen::inRange(0, 10001)) / 1e4;
  return std::llround(low * std::pow(high / low, share));
}

inline Regression any_problem(double largest_length = 1e6, double largest_dimension = 1e5) {
  Regression problem;
  problem.length = any_size(2, largest_length);
  problem.dimension = any_size(1, largest_dimension);
  if (*rc::gen::arbitrary<bool>()) problem.repeat = any_size(1, static_cast<double>(problem.length - 1));
  if (problem.dimension > 1 && *rc::gen::arbitrary<bool>())
    problem.cross = static_cast<double>(*rc::gen::inRange(0, 1001)) / 1000;
  return problem;
}

}  // namespace atto
