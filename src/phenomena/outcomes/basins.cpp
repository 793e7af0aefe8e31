#include "phenomena/outcomes/basins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/statistics.h"

namespace atto {
namespace {

double squares_about_mean(std::span<const double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// The parts of 0 .. n-1 between cuts; a cut is the index of the first value after it.
std::vector<std::pair<size_t, size_t>> parts_between(std::vector<size_t> cuts, size_t n) {
  cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::pair<size_t, size_t>> parts;
  size_t first = 0;
  for (const size_t cut : cuts) {
    parts.emplace_back(first, cut - first);
    first = cut;
  }
  return parts;
}

}  // namespace

std::vector<Basin> find_basins(std::span<const double> values, const BasinSettings& settings) {
  std::vector<double> kept;
  for (const double value : values)
    if (std::isfinite(value) && value > 0) kept.push_back(value);
  if (kept.empty()) return {};
  std::sort(kept.begin(), kept.end());
  const size_t n = kept.size();
  std::vector<double> logarithms;
  for (const double value : kept) logarithms.push_back(std::log(value));

  std::vector<size_t> widest(n - 1);  // cuts, the widest gap first
  std::iota(widest.begin(), widest.end(), size_t{1});
  const auto gap = [&](size_t cut) { return logarithms[cut] - logarithms[cut - 1]; };
  std::stable_sort(widest.begin(), widest.end(), [&](size_t a, size_t b) { return gap(a) > gap(b); });

  std::vector<size_t> cuts;
  for (size_t count = 2; count <= std::min(static_cast<size_t>(settings.most), n / 2); ++count) {
    const double narrowest = gap(widest[count - 2]);
    if (!(narrowest > settings.separation)) break;
    const std::vector<size_t> tried(widest.begin(), widest.begin() + static_cast<std::ptrdiff_t>(count - 1));
    double squares = 0;
    for (const auto& [first, size] : parts_between(tried, n))
      squares += squares_about_mean(std::span(logarithms).subspan(first, size));
    const double deviation = std::sqrt(squares / static_cast<double>(n - count));
    if (narrowest > settings.contrast * (1 + 8 / static_cast<double>(n)) * deviation) cuts = tried;
  }

  std::vector<Basin> basins;
  for (const auto& [first, size] : parts_between(cuts, n)) {
    const auto members = std::span(kept).subspan(first, size);
    basins.push_back({std::ssize(members), members.front(), quantile(members, 0.5), members.back()});
  }
  return basins;
}

}  // namespace atto
