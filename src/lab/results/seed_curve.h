// Curves over the seeds of a cell.
#pragma once

#include <string>
#include <vector>

#include "observe/recording.h"

namespace atto {

// A median over seeds with a band about it; equally long lists, steps rising. NaN is a gap.
struct Curve {
  std::vector<double> steps, low, middle, high;
};

// Median, and the band from the quantile `tail` to 1 - tail, at every step any run measured. A run that met its stop
// condition keeps its last value, one that diverged drops out there.
Curve curve_over_seeds(const std::vector<Recording>& runs, const std::string& address, double tail = 0.25);

}  // namespace atto
