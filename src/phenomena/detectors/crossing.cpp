#include "phenomena/detectors/crossing.h"

namespace atto {
namespace {

// The step of measurement `at`, the first beyond the limit, or where the line from the one before it crosses.
double step_of_crossing(const Series& series, size_t at, const Crossing& crossing) {
  const auto step = static_cast<double>(series.steps[at]);
  if (!crossing.interpolate || at == 0) return step;
  const auto before = static_cast<double>(series.steps[at - 1]);
  const double from = series.values[at - 1], to = series.values[at];
  const double share = (crossing.limit - from) / (to - from);
  return share >= 0 && share <= 1 ? before + share * (step - before) : step;  // not a number: no line
}

}  // namespace

std::optional<double> Crossing::find(const Series& series, bool stopped_early) const {
  const auto beyond = [this](double value) { return side == Side::below ? value <= limit : value >= limit; };
  int64_t held = 0;
  size_t since = 0;
  for (size_t i = 0; i < series.values.size(); ++i) {
    if (!beyond(series.values[i])) {  // not a number is beyond nothing
      held = 0;
      continue;
    }
    if (held++ == 0) since = i;
    if (hold_steps > 0 ? series.steps[i] - series.steps[since] >= hold_steps : held >= hold)
      return step_of_crossing(series, since, *this);
  }
  if (held > 0 && stopped_early) return step_of_crossing(series, since, *this);
  return std::nullopt;
}

}  // namespace atto
