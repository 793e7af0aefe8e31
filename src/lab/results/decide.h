// From a study to its verdicts: trains what the store lacks, judges, and goes on with more seeds for the claims that
// are still open where the study asks for that.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lab/results/results.h"
#include "lab/sweep/scheduler.h"

namespace atto {

// After a look: what is known now, and the claims that get more seeds.
struct Look {
  int look = 1, looks = 1;
  const StudyResult& result;
  std::vector<const ClaimResult*> open;
  // For each of these, about how long the runs take that it still needs, at the pace so far; nothing where neither the
  // runs nor the pace are known.
  std::vector<std::optional<double>> seconds;
  int64_t next_runs = 0;  // that these would take at the next look; 0 where the budget is spent
};

struct DecideOptions {
  SweepOptions sweep;
  // Who trains what the store lacks of a look, and files it there: this program, unless somebody else does.
  std::function<SweepResult(const Study&, const std::vector<Run>&, Store&, const SweepOptions&)> train = run_all;
  std::function<void(const std::vector<Run>&)> on_plan;  // before each look: the runs of the study so far
  std::function<void(const Look&)> on_look;              // after each look but the only one
  // Asked before each look but the first, with all runs that it would come to; false ends it here.
  std::function<bool(const std::vector<Run>&)> may_look;
};

struct Decided {
  std::vector<Run> runs;              // of all looks that were taken
  std::optional<StudyResult> result;  // none when runs are missing; what was finished is in the store
  Progress progress;
  std::vector<CellFailure> failures;
};

// Every look has the seeds that the plan fixed beforehand, and which cells get them follows from the verdicts. So the
// runs and the verdicts are a function of the study alone: of no timing, no number of threads and no interruption.
Decided train_until_decided(const Study& study, const std::vector<Cell>& cells, Store& store,
                            const DecideOptions& options);

// The same, and keeps in the store what belongs to it: what the claims ask, before anything is trained; which runs the
// study came to, before each look, so that a stopped sweep can be shown too; and the verdicts. `variant` is the name
// for all of it: variant_name(). The result says what the record knows of each claim.
Decided train_and_file(const Study& study, const std::vector<Cell>& cells, const std::string& variant, Store& store,
                       DecideOptions options);
// collect(), with what the record knows of each claim.
StudyResult collect_with_record(const Study& study, const std::vector<Cell>& cells, const std::vector<Run>& runs,
                                const Store& store);

// The runs of cells that have these numbers of seeds.
std::vector<Run> runs_of_look(const Study& study, const std::vector<Cell>& cells, const std::vector<int64_t>& seeds);
// All runs that the looks of a study may come to, less those that the store lacks or that come after one it lacks.
std::vector<Run> stored_runs(const Study& study, const std::vector<Cell>& cells, const Store& store);

}  // namespace atto
