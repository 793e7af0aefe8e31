#include "lab/results/cell_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/results/families.h"
#include "lab/results/scale_text.h"

namespace atto {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

void add_findings(const Study& study, const Recording& recording, const RunConfig& config, const Poll& poll,
                  Outcomes& found) {
  for (const Phenomenon& phenomenon : study.phenomena) {
    const Finding finding = phenomenon.detector->detect_polling(recording, config, poll);
    for (const QuantityHelp& one : phenomenon.detector->quantities()) {
      const Quantity* quantity = find(finding, one.name);
      Outcome outcome{std::nullopt, false, recording.diverged_at.has_value()};
      if (quantity) {
        outcome.value = quantity->value;
        outcome.censored = quantity->censored;
      }
      found.push_back(outcome);
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
  const auto at = [&](double q) { return known.empty() ? kNone : quantile(known, q); };
  summary.q05 = at(0.05);
  summary.q25 = at(0.25);
  summary.median = at(0.5);
  summary.q75 = at(0.75);
  summary.q95 = at(0.95);
  summary.basins = find_basins(known);
}

}  // namespace

std::vector<std::string> quantity_names(const Study& study) {
  std::vector<std::string> names;
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities()) names.push_back(phenomenon.name + "." + one.name);
  return names;
}

std::vector<std::string> scalar_addresses(const RecordedCell& cell, const std::string& run_id) {
  std::vector<std::string> addresses;
  for (const Series& series : series_of(cell, run_id))
    if (series.shape.empty()) addresses.push_back(series.address);
  return addresses;
}

RunFindings find_in_run(const RecordedCell& cell, const std::string& run_id, const RunConfig& config,
                        const std::vector<std::string>& scalars, const Poll& poll) {
  std::vector<std::string> needed = scalars;
  for (const Phenomenon& phenomenon : cell.study.phenomena)
    for (const SeriesNeed& need : phenomenon.detector->needs()) add_once(needed, need.address);
  poll();
  const Recording recording = load_series(cell, run_id, needed);
  const bool diverged = recording.diverged_at.has_value();
  RunFindings findings{run_id, 0, diverged, recording.best_loss, {}, {}, {}};
  for (const std::string& address : scalars) {
    const std::vector<double>& values = recording.find(address)->values;
    findings.firsts.push_back(values.empty() ? kNone : values.front());
    Outcome final{std::nullopt, false, diverged};
    if (!diverged && !values.empty() && std::isfinite(values.back())) final.value = values.back();
    findings.finals.push_back(final);
  }
  add_findings(cell.study, recording, config, poll, findings.found);
  return findings;
}

CellResult summarise_cell(const Study& study, const Cell& cell, const std::vector<std::string>& scalars,
                          const std::vector<RunFindings>& runs) {
  CellResult result;
  result.cell = cell;
  result.seeds = std::ssize(runs);
  for (const std::string& name : quantity_names(study)) result.quantities.push_back({name, {}, {}});
  if (runs.empty()) return result;
  for (const RunFindings& run : runs) {
    result.diverged += run.diverged;
    result.runs.push_back({run.id, run.seed, run.diverged});
    if (!result.best_loss) result.best_loss = run.best_loss;
    for (size_t i = 0; i < run.found.size(); ++i) result.quantities[i].outcomes.push_back(run.found[i]);
  }
  for (size_t i = 0; i < scalars.size(); ++i) {
    ObservableSummary& summary = result.observables.emplace_back();
    summary.address = scalars[i];
    std::vector<double> firsts;
    for (const RunFindings& run : runs) {
      firsts.push_back(run.firsts[i]);
      summary.finals.push_back(run.finals[i]);
    }
    add_quantiles(std::move(firsts), summary);
  }
  add_fractions(study, result.quantities);
  result.diagnoses = diagnose_cell(study, result);
  return result;
}

StudyResult judge_cells(const Study& study, std::vector<CellResult> cells) {
  StudyResult result{study, std::move(cells), {}, {}};
  std::vector<Cell> plain;
  for (const CellResult& one : result.cells) plain.push_back(one.cell);
  for (const Fit& fit : study.fits) result.fits.push_back(fit_cells(fit, result.cells));
  for (const Claim& claim : study.claims) {
    ClaimResult& judged = result.claims.emplace_back(judge_claim(study, claim, result.cells));
    judged.at = scale_text(study, plain, claim);
    mark_same_number(result.claims);
    judged.calibrated = claim.provenance.origin == Origin::figure && !study.calibrated.empty();
  }
  adjust_sources(result);
  return result;
}

}  // namespace atto
