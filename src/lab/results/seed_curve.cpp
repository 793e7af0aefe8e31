#include "lab/results/seed_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "math/statistics.h"

namespace atto {

Curve curve_over_seeds(const std::vector<Recording>& runs, const std::string& address, double tail) {
  std::set<int64_t> steps;
  std::vector<std::pair<const Recording*, const Series*>> traces;
  for (const Recording& run : runs) {
    const Series* series = run.find(address);
    if (series == nullptr || !series->shape.empty() || series->steps.empty()) continue;
    traces.emplace_back(&run, series);
    steps.insert(series->steps.begin(), series->steps.end());
  }
  Curve curve;
  std::vector<double> values;
  for (const int64_t step : steps) {
    values.clear();
    for (const auto& [run, series] : traces) {
      if (run->diverged_at && step >= *run->diverged_at) continue;
      const auto next = std::upper_bound(series->steps.begin(), series->steps.end(), step);
      if (next == series->steps.begin()) continue;
      const double value = series->values[static_cast<size_t>(next - series->steps.begin()) - 1];
      if (!std::isnan(value)) values.push_back(value);
    }
    constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
    curve.steps.push_back(static_cast<double>(step));
    curve.low.push_back(values.empty() ? kNoValue : quantile(values, tail));
    curve.middle.push_back(values.empty() ? kNoValue : quantile(values, 0.5));
    curve.high.push_back(values.empty() ? kNoValue : quantile(values, 1 - tail));
  }
  return curve;
}

}  // namespace atto
