#include "phenomena/outcomes/outcome.h"

namespace atto {

std::vector<double> ranked_values(const Outcomes& outcomes) {
  std::vector<double> values;
  for (const Outcome& one : outcomes)
    if (one.exists()) values.push_back(one.rank());
  return values;
}

std::vector<double> lower_bounds(const Outcomes& outcomes) {
  std::vector<double> values;
  for (const Outcome& one : outcomes)
    if (one.exists()) values.push_back(*one.value);
  return values;
}

std::optional<double> yes_share(const Outcomes& outcomes) {
  size_t zeros = 0, ones = 0;
  for (const Outcome& one : outcomes) {
    if (!one.exists()) continue;
    if (*one.value != 0 && *one.value != 1) return std::nullopt;
    ++(*one.value == 0 ? zeros : ones);
  }
  if (zeros + ones == 0) return std::nullopt;
  return static_cast<double>(ones) / static_cast<double>(outcomes.size());
}

}  // namespace atto
