// Where the runs of an exploration went.
#pragma once

#include "lab/explore/explore.h"
#include "lab/results/json.h"

namespace atto {

// A Vega-Lite specification. Over the plane of a study's two axes: a square for each cell, shaded by its runs, with
// what was estimated in it. Of other studies: a bar for each cell.
Json effort_figure(const Study& study, const std::vector<Cell>& cells, const Exploration& found,
                   const std::string& quantity);

}  // namespace atto
