#include "lab/results/results.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "lab/results/recordings.h"
#include "lab/sweep/machine.h"
#include "lab/sweep/memory_budget.h"

namespace atto {
namespace {

using CellRuns = std::vector<const Run*>;  // of one cell, in the order asked for

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

// Addresses of the series with one number a measurement. Runs of a cell differ in nothing but seeds, so one tells for
// all.
std::vector<std::string> scalar_addresses(const RecordedCell& cell, const std::string& run_id) {
  std::vector<std::string> addresses;
  for (const Series& series : series_of(cell, run_id))
    if (series.shape.empty()) addresses.push_back(series.address);
  return addresses;
}

std::vector<QuantitySummary> empty_summaries(const Study& study) {
  std::vector<QuantitySummary> summaries;
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities())
      summaries.push_back({phenomenon.name + "." + one.name, {}, {}});
  return summaries;
}

void add_findings(const Study& study, const Recording& recording, const RunConfig& config, const Poll& poll,
                  std::vector<QuantitySummary>& summaries) {
  size_t index = 0;
  for (const Phenomenon& phenomenon : study.phenomena) {
    const Finding finding = phenomenon.detector->detect_polling(recording, config, poll);
    for (const QuantityHelp& one : phenomenon.detector->quantities()) {
      const Quantity* quantity = find(finding, one.name);
      Outcome outcome{std::nullopt, false, recording.diverged_at.has_value()};
      if (quantity) {
        outcome.value = quantity->value;
        outcome.censored = quantity->censored;
      }
      summaries[index++].outcomes.push_back(outcome);
    }
  }
}

// The share of seeds that say yes, for quantities that answer yes or no.
void add_fractions(const Study& study, std::vector<QuantitySummary>& summaries) {
  size_t index = 0;
  for (const Phenomenon& phenomenon : study.phenomena) {
    for (const QuantityHelp& one : phenomenon.detector->quantities()) {
      if (one.yes_or_no) summaries[index].fraction = yes_share(summaries[index].outcomes);
      ++index;
    }
  }
}

void add_quantiles(std::vector<double> firsts, ObservableSummary& summary) {
  std::erase_if(firsts, [](double value) { return std::isnan(value); });
  summary.first = quantile(firsts, 0.5);
  const std::vector<double> known = lower_bounds(summary.finals);
  const auto at = [&](double q) {
    return known.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(known, q);
  };
  summary.q05 = at(0.05);
  summary.q25 = at(0.25);
  summary.median = at(0.5);
  summary.q75 = at(0.75);
  summary.q95 = at(0.95);
  summary.basins = find_basins(known);
}

CellResult summarize(const Study& study, const Cell& cell, const CellRuns& runs, const Store& store,
                     const std::atomic<bool>* stop) {
  CellResult result;
  result.cell = cell;
  result.seeds = std::ssize(runs);
  result.quantities = empty_summaries(study);
  if (runs.empty()) return result;

  const RecordedCell recorded{study, store, cell.config};
  const std::vector<std::string> scalars = scalar_addresses(recorded, runs.front()->id);
  for (const std::string& address : scalars) result.observables.emplace_back().address = address;
  std::vector<std::vector<double>> firsts(scalars.size());
  std::vector<std::string> needed = scalars;
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const SeriesNeed& need : phenomenon.detector->needs()) add_once(needed, need.address);

  const Poll poll = [stop] {
    if (stop != nullptr && *stop) throw Stopped();
  };
  for (const Run* run : runs) {
    poll();
    const Recording recording = load_series(recorded, run->id, needed);
    const bool diverged = recording.diverged_at.has_value();
    result.diverged += diverged;
    result.runs.push_back({run->id, study.seeds.first + run->seed, diverged});
    if (!result.best_loss) result.best_loss = recording.best_loss;
    for (size_t i = 0; i < result.observables.size(); ++i) {
      ObservableSummary& summary = result.observables[i];
      const std::vector<double>& values = recording.find(summary.address)->values;
      if (!values.empty()) firsts[i].push_back(values.front());
      Outcome final{std::nullopt, false, diverged};
      if (!diverged && !values.empty() && std::isfinite(values.back())) final.value = values.back();
      summary.finals.push_back(final);
    }
    add_findings(study, recording, run->config, poll, result.quantities);
  }
  for (size_t i = 0; i < result.observables.size(); ++i) add_quantiles(firsts[i], result.observables[i]);
  add_fractions(study, result.quantities);
  result.diagnoses = diagnose_cell(study, result);
  return result;
}

// The number that a key has in a run, for a claim that divides by it.
double key_divisor(const Claim& claim, const RunConfig& config) {
  const Value value = run_schema().at(claim.relative_to).get(config);
  double number = 0;
  if (const int64_t* integer = std::get_if<int64_t>(&value)) number = static_cast<double>(*integer);
  if (const double* real = std::get_if<double>(&value)) number = *real;
  if (number == 0)
    throw Error(ErrorKind::config,
                "claim " + claim.id + ": cannot divide by " + claim.relative_to + " = " + to_text(value),
                "relative_to needs a number other than 0 in every cell of the claim");
  return number;
}

// What seeds first .. last-1 (all when last is beyond the end) of one cell answer to the claim. Missing where it
// divides by what the run does not tell.
void add_outcomes(const Claim& claim, const CellResult& cell, const CellRuns& runs, size_t first, size_t last,
                  Outcomes& outcomes) {
  const bool by_key = run_schema().find(claim.relative_to) != nullptr;
  const Outcomes all = outcomes_of(cell, claim.quantity);
  const Outcomes divisors = by_key || claim.relative_to.empty() ? all : outcomes_of(cell, claim.relative_to);
  if (all.size() != runs.size() || divisors.size() != runs.size())
    throw Error(ErrorKind::config, "claim " + claim.id + ": no phenomenon of the study reports " +
                                       (all.size() == runs.size() ? claim.relative_to : claim.quantity));
  for (size_t seed = first; seed < std::min(last, runs.size()); ++seed) {
    Outcome outcome = all[seed];
    std::optional<double> by = 1;
    if (by_key) by = key_divisor(claim, runs[seed]->config);
    else if (!claim.relative_to.empty()) by = divisors[seed].censored ? std::nullopt : divisors[seed].value;
    outcome.value = outcome.value && by && *by != 0 ? std::optional(*outcome.value / *by) : std::nullopt;
    outcomes.push_back(outcome);
  }
}

// To be made small. What diverged or does not exist is worse than anything, as if it were censored.
double median_for_tuning(Outcomes outcomes) {
  for (Outcome& one : outcomes)
    if (!one.exists()) one = {0, true};
  const double median = summarise(outcomes, Statistic::median).value;
  return std::isnan(median) ? std::numeric_limits<double>::infinity() : median;
}

// Every seed of every cell the filter speaks of; with claim.tune, the later seeds of the cells with the best value of
// that key, which goes to `tuned`.
Outcomes gather(const Claim& claim, const CellFilter& filter, const std::vector<CellResult>& results,
                const std::vector<CellRuns>& runs, std::string& tuned) {
  constexpr size_t kTuningShare = 3;  // one seed in three chooses, the others judge
  struct Candidate {
    Outcomes choosing, judging;
  };
  std::vector<std::pair<std::string, Candidate>> candidates;  // by the text of the tuned value, in sweep order
  for (size_t c = 0; c < results.size(); ++c) {
    RunConfig config = results[c].cell.config;
    if (!matches(filter, config)) continue;
    const std::string value = claim.tune.empty() ? "" : to_text(run_schema().at(claim.tune).get(config));
    auto found =
        std::find_if(candidates.begin(), candidates.end(), [&](const auto& one) { return one.first == value; });
    if (found == candidates.end()) found = candidates.insert(candidates.end(), {value, {}});
    const size_t chosen_by = claim.tune.empty() ? 0 : runs[c].size() / kTuningShare;
    add_outcomes(claim, results[c], runs[c], 0, chosen_by, found->second.choosing);
    add_outcomes(claim, results[c], runs[c], chosen_by, runs[c].size(), found->second.judging);
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return median_for_tuning(a.second.choosing) < median_for_tuning(b.second.choosing);
  });
  if (best == candidates.end()) return {};
  if (!claim.tune.empty()) tuned = claim.tune + " = " + best->first;
  return best->second.judging;
}

// Both quantities of every run of the cells that a claim about pairs speaks of, cell by cell.
std::vector<PairedOutcomes> gather_pairs(const Claim& claim, const std::vector<CellResult>& results) {
  std::vector<PairedOutcomes> cells;
  for (const CellResult& cell : results)
    if (matches(claim.where, cell.cell.config))
      cells.push_back({outcomes_of(cell, claim.quantity), outcomes_of(cell, claim.with)});
  for (const PairedOutcomes& cell : cells)
    if (cell.first.size() != cell.second.size())
      throw Error(ErrorKind::config, "claim " + claim.id + ": no phenomenon of the study reports both " +
                                         claim.quantity + " and " + claim.with);
  return cells;
}

const FitResult& fit_of(const Claim& claim, const std::vector<FitResult>& fits) {
  for (const FitResult& one : fits)
    if (claim.quantity.starts_with(one.fit.name + ".")) return one;
  throw Error(ErrorKind::config, "claim " + claim.id + ": no fit of the study reports " + claim.quantity);
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
                    const Store& store, const std::atomic<bool>* stop) {
  require_judging_memory(detection_memory(study, runs), available_memory());
  StudyResult result{study, {}, {}, {}};
  std::vector<CellRuns> by_cell(cells.size());
  for (const Run& run : runs) by_cell.at(run.cell).push_back(&run);
  for (size_t c = 0; c < cells.size(); ++c) result.cells.push_back(summarize(study, cells[c], by_cell[c], store, stop));
  for (const Fit& fit : study.fits) result.fits.push_back(fit_cells(fit, result.cells));
  for (const Claim& claim : study.claims) {
    ClaimResult judged{claim, study.name, {}, {}, {}};
    if (claim.statistic == Statistic::fit) {
      judged.verdict = judge_fit(claim, fit_of(claim, result.fits));
    } else if (takes_pairs(claim.statistic)) {
      judged.verdict = judge_pairs(claim, gather_pairs(claim, result.cells));
    } else {
      const Outcomes first = gather(claim, claim.where, result.cells, by_cell, judged.tuned);
      Outcomes second;
      if (claim.against) second = gather(claim, *claim.against, result.cells, by_cell, judged.tuned_against);
      judged.verdict = judge(claim, first, second);
    }
    result.claims.push_back(std::move(judged));
  }
  return result;
}

}  // namespace atto
