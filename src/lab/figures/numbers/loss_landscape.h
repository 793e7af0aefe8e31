// The reduced loss over the weight w and the score gap Δa, and the way of one run over it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/figures/geometry/grid_map.h"
#include "observe/recording.h"
#include "phenomena/detectors/series_need.h"

namespace atto {

struct Ground {
  GridMap map;  // rows are w, columns Δa
  std::vector<double> weight, gap;
  std::vector<int64_t> steps;
  size_t transition = 0;  // where the loss falls fastest
};

// What it is read from.
SeriesNeeds ground_needs();
// Nothing when the grid is not one.
std::optional<Ground> read_ground(const Recording& recording);

// Where the paths of titled panels start: "w = 0.1, Δa = 0"; "w = 0.1 to 0.2, Δa = 0" where they differ; "" without
// any.
std::string starts_text(const std::vector<std::pair<std::string, Ground>>& grounds);

}  // namespace atto
