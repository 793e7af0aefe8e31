#include "live/series.h"

#include <algorithm>

#include "observe/recorder.h"

namespace atto {

std::vector<LiveSeries> live_series(const Study& study, const RunSpec& spec) {
  std::vector<LiveSeries> all;
  for (const PlannedSeries& one : SeriesPlan(study.observe, spec).series())
    all.push_back({one.address, one.shape, one.points, false});
  const auto find = [&](const std::string& address) {
    return std::find_if(all.begin(), all.end(), [&](const LiveSeries& one) { return one.address == address; });
  };
  for (const DerivedQuantity& quantity : study.quantities) {
    LiveSeries series{quantity.name, {}, 1, true};
    series.shape = quantity.expression.shape([&](const std::string& name) {
      const auto input = find(name);
      if (input == all.end()) return Shape{};
      series.points = std::max(series.points, input->points);
      return input->shape;
    });
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace atto
