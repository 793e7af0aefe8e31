// From recorded runs to results: per-cell summaries and verdicts.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/provenance/status.h"
#include "lab/study/study.h"
#include "math/statistics.h"
#include "observe/run_source.h"
#include "phenomena/claims/diagnosis.h"
#include "phenomena/claims/verdict.h"
#include "phenomena/laws/power_law.h"
#include "phenomena/outcomes/basins.h"

namespace atto {

struct QuantitySummary {
  std::string name;   // "plateau.level"
  Outcomes outcomes;  // one for each run of the cell
  // yes_share() of them, for yes-or-no quantities that exist in some seed. A seed without it counts as one in which it
  // did not show, as it does in a `rate`.
  std::optional<double> fraction;
};

struct ObservableSummary {
  std::string address;
  double first = 0;                                       // median of the first measurements; NaN when there are none
  Outcomes finals;                                        // the last measurements; missing where the run diverged
  double q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0;  // of those that exist; NaN when there are none
  std::vector<Basin> basins;                              // kinds of outcome the seeds split into, in order of value
};

struct CellRun {
  std::string id;
  int64_t seed = 0;  // its number, as the study counts its seeds
  bool diverged = false;
};

struct CellResult {
  Cell cell;
  int64_t seeds = 0, diverged = 0;
  std::optional<double> best_loss;
  std::vector<CellRun> runs;
  std::vector<ObservableSummary> observables;  // scalar ones
  std::vector<QuantitySummary> quantities;     // what the detectors found
  std::vector<Diagnosis> diagnoses;
};

// What each run of a cell has of a quantity, or as the final value of an observable; empty when the cell has neither.
Outcomes outcomes_of(const CellResult& cell, const std::string& name);
// The quantity of that name ("plateau.level"), or nullptr.
const QuantitySummary* find_quantity(const CellResult& cell, const std::string& name);
// The scalar observable of that address ("perplexity"), or nullptr.
const ObservableSummary* find_observable(const CellResult& cell, const std::string& address);

struct FitResult {
  Fit fit;
  PowerLaw law;
  std::vector<LawRun> runs;  // what it was fitted to
  std::vector<Diagnosis> diagnoses;
};

struct ClaimResult {
  Claim claim;
  std::string study;
  Verdict verdict;
  std::string tuned, tuned_against;  // what claim.tune came to in each group; empty without it
  std::string at = {};               // the sizes of a claim that is scaled down: "width 32, context 8 to 64"
  bool calibrated = false;           // the recipe was chosen to match figures, and it is read off one
  std::string same_number_as = {};   // the first claim of the study that judges the same number, by another region
  Status status = {};                // add_statuses() finds it (lab/results/claim_status.h)
  std::string recipes = {};          // in how many recipes it holds; add_recipes() finds it (lab/results/multiverse.h)
};

struct StudyResult {
  Study study;
  std::vector<CellResult> cells;
  std::vector<FitResult> fits;
  std::vector<ClaimResult> claims;
};

struct Stopped {};  // thrown by what was asked to stop

// Reads the runs (Error(missing) if one is not there), detects, judges. The seeds of a cell keep the
// order of `runs`; a cell without any comes out empty. Error(resources) before anything is read when the detectors
// would not fit into memory. Between two runs it looks at `stop` and throws Stopped once that is set. Cells that have
// the same number of runs in `before`, an earlier result of the study, are taken from there.
StudyResult collect(const Study& study, const std::vector<Cell>& cells, const std::vector<Run>& runs,
                    const RunSource& source, const std::atomic<bool>* stop = nullptr,
                    const StudyResult* before = nullptr);

// How many of its first seeds a cell answers with, at an early look; all without a function.
using SeedLimit = std::function<int64_t(const CellResult& cell)>;
inline int64_t seeds_within(const SeedLimit& limit, const CellResult& cell) {
  return limit ? std::min<int64_t>(limit(cell), std::ssize(cell.runs)) : std::ssize(cell.runs);
}

// The steps of collect() that only need the cells: what the signs of a cell's runs are, a law over cells, and the
// verdict on a claim.
std::vector<Diagnosis> diagnose_cell(const Study& study, const CellResult& cell);
FitResult fit_cells(const Fit& fit, const std::vector<CellResult>& cells, const SeedLimit& limit = {},
                    double level = 0.95);
ClaimResult judge_claim(const Study& study, const Claim& claim, const std::vector<CellResult>& cells);
// Of a number of a law, fitted at the level of `certainty`; of the difference or ratio of two laws' numbers.
Verdict judge_fit(const Claim& claim, const FitResult& result, const Certainty& certainty = {});
Verdict judge_fits(const Claim& claim, const FitResult& first, const FitResult& second,
                   const Certainty& certainty = {});

// Would more seeds be of use?
bool is_open(const Verdict& verdict);

}  // namespace atto
