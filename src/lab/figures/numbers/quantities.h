// Figures of one number for each run: a quantity of a phenomenon, or the final value of an observable.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/results/cell_values.h"

namespace atto {

// Error(config) with the nearest name unless the study reports or observes it; "" stands for the default.
void check_number(const Study& study, const std::string& name);
// The observable behind the number, if it is one: no series has the name of a quantity.
SeriesNeeds number_needs(const std::string& name);
// Does a figure of this number show what the claim speaks of?
bool shows_number(const Claim& claim, const Study& study, const std::string& name);

// "plateau length (steps)", "escape: training step", "share of seeds: plateau present", "final perplexity = exp(loss)".
std::string number_title(const Study& study, const std::string& name, bool share = false);
// What the detector says about it: "plateau.level (median perplexity on it)"; observables are "final loss".
std::string number_meaning(const Study& study, const std::string& name);

// How the estimates of a figure are to be read: "median of 6 to 32 seeds with its 95 % interval".
std::string estimates_caption(const std::vector<Estimate>& estimates);

// Points with intervals. The columns of their data, which a kind may add to:
std::vector<std::string> estimate_columns();  // x, value, low, high, above, color, group, cell, says, seeds
// A row, or nothing where there is no point on such a scale. An interval that is open above ends at the largest value
// seen; `above` is 1 where the median itself is beyond the end of the runs.
std::vector<DataTable::Entry> estimate_row(double x, const Estimate& estimate, bool log, const std::string& color,
                                           int64_t group, const std::string& cell);
// Intervals, points, and triangles where the median lies above, over the data of these estimates; `color` may be null.
// With `joined` a line goes through the points of a group.
Json estimate_layers(const std::vector<Estimate>& estimates, const Json& x, const Json& y, const Json& color,
                     bool joined);

}  // namespace atto
