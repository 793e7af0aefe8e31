#include "phenomena/detectors/cyclic_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace atto {
namespace {

std::vector<int> places(std::span<const int> order) {
  std::vector<int> place(order.size(), -1);
  for (size_t at = 0; at < order.size(); ++at) place.at(static_cast<size_t>(order[at])) = static_cast<int>(at);
  return place;
}

int64_t swaps_between(const std::vector<int>& from, const std::vector<int>& to) {
  if (from == to) return 0;
  const size_t count = from.size();
  const auto n = static_cast<int>(count);
  std::vector<int> lifted(count);
  for (size_t i = 0; i < count; ++i) lifted[i] = from[i] + (to[i] - from[i] + n) % n;
  // Σ_j |⌊(lifted_j - lifted_i)/n⌋ - ⌊(from_j - from_i)/n⌋|. The first difference lies between -3n and 3n, the second
  // between -n and n, so that comparisons give what divisions would; i itself adds nothing.
  const auto crossings_of = [&](size_t i) {
    int sum = 0;
    for (size_t j = 0; j < count; ++j) {
      const int moved = lifted[j] - lifted[i];
      const int turns = (moved >= n) + (moved >= 2 * n) - (moved < 0) - (moved < -n) - (moved < -2 * n);
      sum += std::abs(turns + (from[j] < from[i]));
    }
    return sum;
  };
  int64_t now = 0;
  for (size_t i = 0; i < count; ++i) now += crossings_of(i);
  now /= 2;

  std::vector<size_t> by_displacement(count);
  std::iota(by_displacement.begin(), by_displacement.end(), size_t{0});
  std::sort(by_displacement.begin(), by_displacement.end(),
            [&](size_t i, size_t j) { return lifted[i] - from[i] < lifted[j] - from[j]; });
  int64_t fewest = now;
  for (const size_t i : by_displacement) {
    const int64_t before = crossings_of(i);
    lifted[i] += n;
    now += crossings_of(i) - before;
    fewest = std::min(fewest, now);
  }
  return fewest;
}

}  // namespace

std::vector<int> order_by_angle(std::span<const double> x, std::span<const double> y) {
  std::vector<double> angle;
  for (size_t i = 0; i < x.size(); ++i) angle.push_back(std::atan2(y[i], x[i]));
  std::vector<int> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return angle[static_cast<size_t>(i)] < angle[static_cast<size_t>(j)]; });
  return order;
}

int64_t cyclic_swaps(std::span<const int> before, std::span<const int> after) {
  if (before.size() != after.size()) throw Error(ErrorKind::internal, "cyclic orders of different sizes");
  if (before.size() < 4) return 0;  // rotations and mirror images are all there is
  const std::vector<int> from = places(before);
  const int64_t straight = swaps_between(from, places(after));
  if (straight == 0) return 0;
  const std::vector<int> mirrored(after.rbegin(), after.rend());
  return std::min(straight, swaps_between(from, places(mirrored)));
}

}  // namespace atto
