// The numbers of a figure of curves: bands over seeds and lines of single seeds, thinned.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/inline_data.h"

namespace atto {

inline constexpr double kBandTail = 0.1;  // of the seeds below and above the band

// One line of a panel: an observable of a cell, and how it is told from others.
struct CurveLine {
  std::string address;
  const CellResult* cell = nullptr;
  std::string color, style, label;  // values of the channels; `label` is the tooltip's
};

struct CurveScales {
  bool log_values = false, log_steps = false;
  int64_t until = 0;  // last step; 0: all
};

// Points a line may have. Few enough over all lines for the page, never so few that a line says nothing.
struct CurveBudget {
  size_t band = 0;   // of each line's band
  size_t seed = 0;   // of each seed's line
  size_t seeds = 0;  // lines of seeds of each line; fewer than there are when those would be too many
  static CurveBudget over(size_t lines, int64_t most_seeds);
};

// A range that grows with what it is shown; empty at first.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value);  // not finite: ignored
  bool empty() const { return low > high; }
};

// Data for the layers of one view: {"data": points, "transform": [lookup of colours, styles and labels by line]}. A
// point has line, step, low, value and high, and for a single seed `seed`, no low and no high.
struct CurveData {
  Json data, transform;
  Extent steps, bands, seeds;
  size_t rows = 0;
  size_t styles = 0;  // how many different ones
  bool has_seeds = false;
};
CurveData curve_data(const std::vector<CurveLine>& lines, const FigureSource& source, const CurveScales& scales,
                     const CurveBudget& budget);

// What the axis of values spans: bands and levels, and the lines of single seeds as far as they go, but unless
// `all_seeds` no further than half as much again to either side, so that one seed's leap does not flatten all others.
// Null when there is nothing.
Json value_domain(const CurveData& data, Extent levels, bool log_values, bool all_seeds);

}  // namespace atto
