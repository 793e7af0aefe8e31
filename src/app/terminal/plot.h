// Small plots in text: a curve with its band, and paths in the plane.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/results/seed_curve.h"

namespace atto {

struct PlotSize {
  size_t columns = 72, rows = 10;  // characters, axes included
};

// Axes with the extreme values, the median as a line, the band from `low` to `high` shaded. `log_scale`: y by powers
// (values that are not positive are gaps there).
std::string plot_curve(const Curve& curve, PlotSize size, bool log_scale = false);

// A line of text for each curve's median, over its own steps and on one scale of values for all: "▇▆▃▁▁".
std::vector<std::string> sparklines(const std::vector<Curve>& curves, size_t columns, bool log_scale = false);

// The way of each point through the plane; its end is marked '0'..'9', 'a'..'z', then '*'. Both axes share one scale.
using Path = std::vector<std::pair<double, double>>;
std::string plot_paths(const std::vector<Path>& paths, PlotSize size);

// Measured against predicted on logarithmic axes of one scale, with the diagonal on which they agree. Points that are
// not positive and finite are left out.
std::string plot_agreement(const std::vector<std::pair<double, double>>& predicted_and_measured, PlotSize size);

}  // namespace atto
