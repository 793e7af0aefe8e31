#include "lab/results/results.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "lab/results/families.h"
#include "lab/results/recordings.h"
#include "lab/results/scale_text.h"
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
                    const Store& store, const std::atomic<bool>* stop, const StudyResult* before) {
  require_judging_memory(detection_memory(study, runs), available_memory());
  StudyResult result{study, {}, {}, {}};
  std::vector<CellRuns> by_cell(cells.size());
  for (const Run& run : runs) by_cell.at(run.cell).push_back(&run);
  for (size_t c = 0; c < cells.size(); ++c) {
    const bool known = before && before->cells[c].runs.size() == by_cell[c].size();
    result.cells.push_back(known ? before->cells[c] : summarize(study, cells[c], by_cell[c], store, stop));
  }
  for (const Fit& fit : study.fits) result.fits.push_back(fit_cells(fit, result.cells));
  for (const Claim& claim : study.claims) {
    ClaimResult& judged = result.claims.emplace_back(judge_claim(study, claim, result.cells));
    judged.at = scale_text(study, cells, claim);
    mark_same_number(result.claims);
    judged.calibrated = claim.provenance.origin == Origin::figure && !study.calibrated.empty();
  }
  adjust_sources(result);
  return result;
}

}  // namespace atto
