#include "observe/measure_plan.h"

#include <algorithm>
#include <cmath>

namespace atto {

int64_t MeasureSteps::even_points(int64_t steps, int64_t default_points) const {
  const bool nothing_given = every == 0 && linear == 0 && log == 0 && at.empty();
  return nothing_given ? std::min(default_points, steps + 1) : linear;
}

int64_t MeasureSteps::at_most(int64_t steps, int64_t default_points) const {
  constexpr int64_t kEnds = 2;  // the last step, and with `log` the first
  return even_points(steps, default_points) + (every > 0 ? steps / every + 1 : 0) + log +
         static_cast<int64_t>(at.size()) + kEnds;
}

std::vector<int64_t> MeasureSteps::resolve(int64_t steps, int64_t default_points) const {
  const int64_t even = even_points(steps, default_points);
  std::vector<int64_t> chosen;
  chosen.reserve(static_cast<size_t>(at_most(steps, default_points)));
  chosen.push_back(steps);
  if (every > 0)
    for (int64_t step = 0; step <= steps; step += every) chosen.push_back(step);
  for (int64_t i = 0; i < even; ++i)  // integer division spreads the points without rounding surprises
    chosen.push_back(even == 1 ? steps : steps * i / (even - 1));
  if (log > 0) {
    chosen.push_back(0);
    for (int64_t i = 0; i + 1 < log; ++i) {
      const double share = log > 2 ? static_cast<double>(i) / static_cast<double>(log - 2) : 1.0;
      chosen.push_back(std::llround(std::pow(static_cast<double>(std::max<int64_t>(steps, 1)), share)));
    }
  }
  for (const int64_t step : at) chosen.push_back(step);

  std::erase_if(chosen, [&](int64_t step) { return step < 0 || step > steps; });
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace atto
