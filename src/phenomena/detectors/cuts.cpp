#include <algorithm>
#include <cmath>

#include "phenomena/detectors/detector.h"

namespace atto {
namespace {

constexpr int kCutReach = 4;  // values on either side of the study's own

}  // namespace

Cut cut_by_factor(std::string setting, double own, double low, double high) {
  Cut cut{std::move(setting), own, {}, true};
  for (int i = -kCutReach; i <= kCutReach; ++i) {
    const double value = i == 0 ? own : own * std::exp2(static_cast<double>(i) / kCutReach);
    if (i == 0 || (value >= low && value <= high)) cut.values.push_back(value);
  }
  std::sort(cut.values.begin(), cut.values.end());  // those of a negative number fall
  cut.values.erase(std::unique(cut.values.begin(), cut.values.end()), cut.values.end());
  return cut;
}

Cut cut_between(std::string setting, double own, double low, double high) {
  Cut cut{std::move(setting), own, {own}, false};
  const double pace = (high - low) / (2 * kCutReach);
  for (int i = 0; i <= 2 * kCutReach; ++i) {
    const double value = low + i * pace;
    if (std::abs(value - own) > pace / 4) cut.values.push_back(value);  // nearer ones would tell the same
  }
  std::sort(cut.values.begin(), cut.values.end());
  return cut;
}

}  // namespace atto
