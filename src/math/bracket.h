// The end of an interval that a test leaves over.
#pragma once

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <limits>

namespace atto {

// Where `excess` changes its sign between `outside` (positive: the test rejects) and `inside` (negative; a zero counts
// as such, as a score test is 0/0 at some estimates). Of the two neighbouring numbers found, the one on the rejected
// side is returned, so rounding never makes an interval too narrow.
template <class Excess>
double outer_end(const Excess& excess, double outside, double inside) {
  const double at_outside = excess(outside), least = -std::numeric_limits<double>::min();
  const double at_inside = std::min(excess(inside), least);
  uintmax_t steps = 100;
  const boost::math::tools::eps_tolerance<double> near(48);
  if (outside < inside)
    return boost::math::tools::toms748_solve(excess, outside, inside, at_outside, at_inside, near, steps).first;
  return boost::math::tools::toms748_solve(excess, inside, outside, at_inside, at_outside, near, steps).second;
}

}  // namespace atto
