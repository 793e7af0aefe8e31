#include "phenomena/detectors/cyclic_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace atto {
namespace {

// ⌊a/n⌋ for n > 0.
int64_t floor_of(int64_t a, int64_t n) { return a >= 0 ? a / n : -((-a + n - 1) / n); }

std::vector<int64_t> places(std::span<const int> order) {
  std::vector<int64_t> place(order.size(), -1);
  for (size_t at = 0; at < order.size(); ++at) place.at(static_cast<size_t>(order[at])) = static_cast<int64_t>(at);
  return place;
}

int64_t swaps_between(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  const size_t count = from.size();
  const auto n = static_cast<int64_t>(count);
  std::vector<int64_t> lifted(count);
  for (size_t i = 0; i < count; ++i) lifted[i] = from[i] + (to[i] - from[i] + n) % n;
  const auto crossings = [&](size_t i, size_t j) {
    return std::abs(floor_of(lifted[j] - lifted[i], n) - floor_of(from[j] - from[i], n));
  };
  const auto crossings_of = [&](size_t i) {
    int64_t sum = 0;
    for (size_t j = 0; j < count; ++j)
      if (j != i) sum += crossings(i, j);
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
  const std::vector<int64_t> from = places(before);
  std::vector<int> mirrored(after.rbegin(), after.rend());
  return std::min(swaps_between(from, places(after)), swaps_between(from, places(mirrored)));
}

}  // namespace atto
