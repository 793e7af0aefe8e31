// From the recording of a run to what it says, and from many runs' words to their cell: the two halves of collect(),
// for those who have the runs in memory or know only what was found in them.
#pragma once

#include <string>
#include <vector>

#include "lab/results/recordings.h"
#include "lab/results/results.h"

namespace atto {

// What one run of a cell says.
struct RunFindings {
  std::string id;
  int64_t seed = 0;  // its number, as the study counts its seeds
  bool diverged = false;
  std::optional<double> best_loss;
  std::vector<double> firsts;  // of each scalar series; NaN where nothing was measured
  Outcomes finals;             // of each scalar series, the last measurement; missing where the run diverged
  Outcomes found;              // of each quantity_names(), what the detectors found
};

// "plateau.level": what the detectors of a study report, in its order.
std::vector<std::string> quantity_names(const Study& study);

// Addresses of the series with one number a measurement, stored and derived. Runs of a cell differ in nothing but
// seeds, so one tells for all.
std::vector<std::string> scalar_addresses(const RecordedCell& cell, const std::string& run_id);

// What the run of that id says, whose configuration is `config`. `poll` is called on the way and may throw.
RunFindings find_in_run(const RecordedCell& cell, const std::string& run_id, const RunConfig& config,
                        const std::vector<std::string>& scalars, const Poll& poll);

// A cell whose runs say so, in the order of their seeds.
CellResult summarise_cell(const Study& study, const Cell& cell, const std::vector<std::string>& scalars,
                          const std::vector<RunFindings>& runs);

// Fits, verdicts and what they say together, of cells in the order of the study's sweep.
StudyResult judge_cells(const Study& study, std::vector<CellResult> cells);

}  // namespace atto
