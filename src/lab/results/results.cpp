#include "lab/results/results.h"

#include "base/machine.h"
#include "lab/results/cell_summary.h"
#include "lab/sweep/memory_budget.h"

namespace atto {
namespace {

using CellRuns = std::vector<const Run*>;  // of one cell, in the order asked for

CellResult collect_cell(const Study& study, const Cell& cell, const CellRuns& runs, const RunSource& source,
                        const std::atomic<bool>* stop) {
  if (runs.empty()) return summarise_cell(study, cell, {}, {});
  const RecordedCell recorded{study, source, cell.config};
  const std::vector<std::string> scalars = scalar_addresses(recorded, runs.front()->id);
  const Poll poll = [stop] {
    if (stop != nullptr && *stop) throw Stopped();
  };
  std::vector<RunFindings> found;
  for (const Run* run : runs) {
    found.push_back(find_in_run(recorded, run->id, run->config, scalars, poll));
    found.back().seed = study.seeds.first + run->seed;
  }
  return summarise_cell(study, cell, scalars, found);
}

}  // namespace

const QuantitySummary* find_quantity(const CellResult& cell, const std::string& name) {
  for (const QuantitySummary& one : cell.quantities)
    if (one.name == name) return &one;
  return nullptr;
}

const ObservableSummary* find_observable(const CellResult& cell, const std::string& address) {
  for (const ObservableSummary& one : cell.observables)
    if (one.address == address) return &one;
  return nullptr;
}

Outcomes outcomes_of(const CellResult& cell, const std::string& name) {
  if (const QuantitySummary* quantity = find_quantity(cell, name)) return quantity->outcomes;
  const ObservableSummary* observable = find_observable(cell, name);
  return observable ? observable->finals : Outcomes{};
}

StudyResult collect(const Study& study, const std::vector<Cell>& cells, const std::vector<Run>& runs,
                    const RunSource& source, const std::atomic<bool>* stop, const StudyResult* before) {
  require_judging_memory(detection_memory(study, runs), available_memory());
  std::vector<CellRuns> by_cell(cells.size());
  for (const Run& run : runs) by_cell.at(run.cell).push_back(&run);
  std::vector<CellResult> collected;
  for (size_t c = 0; c < cells.size(); ++c) {
    const bool known = before && before->cells[c].runs.size() == by_cell[c].size();
    collected.push_back(known ? before->cells[c] : collect_cell(study, cells[c], by_cell[c], source, stop));
  }
  return judge_cells(study, std::move(collected));
}

}  // namespace atto
