#include "lab/explore/explore.h"

#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "lab/results/cell_summary.h"

namespace atto {
namespace {

constexpr size_t kCellsTogether = 16;  // in a round; fixed, so that rounds do not depend on the machine

std::vector<Run> runs_of(const Study& study, const std::vector<Cell>& cells, const std::vector<int64_t>& seeds) {
  std::vector<Run> all;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (seeds[i] == 0) continue;
    Cell cell = cells[i];
    cell.seeds = seeds[i];
    for (Run& run : expand_runs(study, {cell})) {
      run.cell = i;
      all.push_back(std::move(run));
    }
  }
  return all;
}

// So many runs of a cell as fit into what is left.
int64_t affordable(const ExploreBudget& budget, int64_t runs, int64_t steps, const Cell& cell, int64_t wanted) {
  if (budget.runs) wanted = std::min(wanted, *budget.runs - runs);
  if (budget.steps)
    wanted = std::min(wanted, (*budget.steps - steps) / std::max<int64_t>(cell.config.training.steps, 1));
  return std::max<int64_t>(wanted, 0);
}

}  // namespace

void require_quantity(const Study& study, const std::string& quantity) {
  const std::vector<std::string> known = quantity_names(study);
  if (std::find(known.begin(), known.end(), quantity) != known.end()) return;
  const std::string near = nearest_name(quantity, known);
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  throw Error(
      ErrorKind::usage,
      (quantity.empty() ? "it is not said which quantity to look at" : "the study has no quantity '" + quantity + "'") +
          (near.empty() ? "" : "; did you mean '" + near + "'?"),
      "its quantities are " + list);
}

Exploration explore(const Study& study, const std::vector<Cell>& cells, Store& store, ExploreRule& rule,
                    const ExploreOptions& options) {
  Exploration found;
  std::vector<int64_t> seeds(cells.size(), 0);
  found.result = collect(study, cells, {}, store, options.sweep.stop);
  while (true) {
    const std::vector<size_t> wanted = rule.next(found.result->cells);
    if (wanted.empty()) break;
    size_t chosen = 0;
    bool too_expensive = false;  // is there a cell that may have more runs, and the budget does not let it?
    for (const size_t cell : wanted) {
      if (chosen == kCellsTogether) break;
      const int64_t more = std::min(rule.batch(found.result->cells[cell]), options.most - seeds[cell]);
      const int64_t runs = std::ssize(found.runs);
      const int64_t added = affordable(options.budget, runs, found.steps, cells[cell], more);
      too_expensive = too_expensive || (added == 0 && more > 0);
      if (added == 0) continue;
      found.steps += added * cells[cell].config.training.steps;
      seeds[cell] += added;
      found.runs.resize(found.runs.size() + static_cast<size_t>(added));  // counted; listed below
      ++chosen;
    }
    if (chosen == 0) {
      found.end = too_expensive ? ExploreEnd::budget : ExploreEnd::most_runs;
      break;
    }
    found.runs = runs_of(study, cells, seeds);
    if (options.on_plan) options.on_plan(found.runs);
    const SweepResult trained = options.train(study, found.runs, store, options.sweep);
    found.progress.done += trained.progress.done;
    found.progress.seconds += trained.progress.seconds;
    found.progress.total = trained.progress.total;
    const StudyResult before = *std::exchange(found.result, std::nullopt);
    if (trained.interrupted) return found;
    try {
      found.result = collect(study, cells, found.runs, store, options.sweep.stop, &before);
    } catch (const Stopped&) {
      return found;
    }
    if (options.on_round) options.on_round(++found.rounds, std::ssize(found.runs), static_cast<int64_t>(chosen));
    else ++found.rounds;
  }
  found.progress.cached = std::ssize(found.runs) - found.progress.done;
  found.cells = rule.summary(found.result->cells);
  found.crossings = rule.crossings(found.result->cells);
  return found;
}

}  // namespace atto
