#include "lab/results/decide.h"

#include <algorithm>
#include <cmath>

#include "lab/provenance/history.h"
#include "lab/provenance/question.h"
#include "lab/results/claim_status.h"
#include "lab/results/multiverse.h"
#include "lab/results/results_json.h"

namespace atto {
namespace {

std::vector<const ClaimResult*> open_claims(const StudyResult& result) {
  std::vector<const ClaimResult*> open;
  for (const ClaimResult& one : result.claims)
    if (is_open(one.verdict)) open.push_back(&one);
  return open;
}

bool asked_for(const Study& study, const std::vector<const ClaimResult*>& open, const Cell& cell) {
  return std::any_of(open.begin(), open.end(),
                     [&](const ClaimResult* one) { return speaks_of(study, one->claim, cell.config); });
}

// How long training takes here: seconds, with all threads at work, by what the runs were estimated to cost.
struct Pace {
  double seconds = 0, cost = 0;
  RunCosts costs;

  double cost_of_missing(const std::vector<Run>& runs, const Store& store) {
    double sum = 0;
    for (const Run& run : runs)
      if (!store.has(run.id)) sum += costs.of(run);
    return sum;
  }
  // The seeds that an open claim needs beyond those it has.
  std::optional<double> seconds_for(const Study& study, const ClaimResult& open, const std::vector<Cell>& cells,
                                    const std::vector<Run>& runs) {
    const std::optional<double>& needed = open.verdict.needed;
    if (!needed || !std::isfinite(*needed) || cost <= 0 || seconds <= 0) return std::nullopt;
    double now = 0;
    for (const Run& run : runs)
      if (speaks_of(study, open.claim, cells[run.cell].config)) now += costs.of(run);
    return std::max(*needed - 1, 0.0) * now * seconds / cost;
  }
};

void add(const Progress& one, Progress& all) {
  all.total = one.total;
  all.cached = one.cached - all.done;
  all.done += one.done;
  all.diverged += one.diverged;
  all.resumed += one.resumed;
  all.seconds += one.seconds;
}

}  // namespace

std::vector<Run> runs_of_look(const Study& study, const std::vector<Cell>& cells, const std::vector<int64_t>& seeds) {
  std::vector<Cell> grown = cells;
  for (size_t i = 0; i < cells.size(); ++i) grown[i].seeds = seeds[i];
  return expand_runs(study, grown);
}

std::vector<Run> stored_runs(const Study& study, const std::vector<Cell>& cells, const Store& store) {
  std::vector<int64_t> seeds;
  for (const Cell& cell : cells) seeds.push_back(seeds_at_look(study.seeds, cell.seeds, look_count(study.seeds) - 1));
  std::vector<Run> runs = runs_of_look(study, cells, seeds);
  if (study.seeds.until == Until::count) {
    std::erase_if(runs, [&](const Run& run) { return !store.has(run.id); });
    return runs;
  }
  std::vector<bool> broken(cells.size());
  std::erase_if(runs, [&](const Run& run) {
    broken[run.cell] = broken[run.cell] || !store.has(run.id);
    return static_cast<bool>(broken[run.cell]);
  });
  return runs;
}

Decided train_until_decided(const Study& study, const std::vector<Cell>& cells, Store& store,
                            const DecideOptions& options) {
  Decided decided;
  const int looks = look_count(study.seeds);
  Pace pace;
  std::vector<int64_t> seeds;
  for (const Cell& cell : cells) seeds.push_back(seeds_at_look(study.seeds, cell.seeds, 0));
  for (int look = 0;; ++look) {
    decided.runs = runs_of_look(study, cells, seeds);
    if (options.on_plan) options.on_plan(decided.runs);
    pace.cost += looks > 1 ? pace.cost_of_missing(decided.runs, store) : 0;
    const SweepResult trained = options.train(study, decided.runs, store, options.sweep);
    add(trained.progress, decided.progress);
    decided.failures = trained.failures;
    pace.seconds = decided.progress.seconds;
    const std::optional<StudyResult> before = std::exchange(decided.result, std::nullopt);
    if (trained.interrupted) return decided;
    try {
      decided.result = collect(study, cells, decided.runs, store, options.sweep.stop, before ? &*before : nullptr);
    } catch (const Stopped&) {
      return decided;
    }
    Look seen{look + 1, looks, *decided.result, open_claims(*decided.result), {}, 0};
    for (const ClaimResult* one : seen.open) seen.seconds.push_back(pace.seconds_for(study, *one, cells, decided.runs));
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!asked_for(study, seen.open, cells[i])) continue;
      const int64_t next = seeds_at_look(study.seeds, cells[i].seeds, look + 1);
      seen.next_runs += std::max<int64_t>(next - seeds[i], 0);
      seeds[i] = std::max(seeds[i], next);
    }
    if (looks > 1 && options.on_look) options.on_look(seen);
    if (seen.next_runs == 0) return decided;
    if (options.may_look && !options.may_look(runs_of_look(study, cells, seeds))) return decided;
  }
}

Decided train_and_file(const Study& study, const std::vector<Cell>& cells, const std::string& variant, Store& store,
                       DecideOptions options) {
  record_questions(study, store);  // before its runs: it tells what was asked before anyone could look at them
  std::vector<std::string> cell_texts;
  for (const Cell& cell : cells) cell_texts.push_back(to_json(cell.overrides).dump());
  options.on_plan = [&, told = options.on_plan](const std::vector<Run>& runs) {
    if (told) told(runs);
    std::vector<Store::Membership> members;
    for (const Run& run : runs) members.push_back({study.name, variant, cell_texts[run.cell], run.seed, run.id});
    store.save_membership(study.name, variant, members);
  };
  Decided decided = train_until_decided(study, cells, store, options);
  if (decided.result) {
    store.save_verdicts(study.name, variant, json_text(verdicts_json(*decided.result)));
    add_statuses(*decided.result, store);
    add_recipes(*decided.result);
  }
  return decided;
}

StudyResult collect_with_record(const Study& study, const std::vector<Cell>& cells, const std::vector<Run>& runs,
                                const Store& store) {
  StudyResult result = collect(study, cells, runs, store);
  add_statuses(result, store);
  add_recipes(result);
  return result;
}

}  // namespace atto
