// From cells to fitted laws, verdicts on them, and diagnoses.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/regression.h"
#include "kernels/wide/wide_kernels.h"
#include "lab/results/results.h"
#include "spec/run_spec.h"

namespace atto {
namespace {

const ObservableSummary* find_ending(const CellResult& cell, const std::string& ending) {
  for (const ObservableSummary& one : cell.observables)
    if (one.address == ending || one.address.ends_with("." + ending)) return &one;
  return nullptr;
}

std::optional<CellFacts::Course> course(const CellResult& cell, const std::string& address) {
  const ObservableSummary* found = find_observable(cell, address);
  if (found == nullptr || !std::isfinite(found->first) || !std::isfinite(found->median)) return std::nullopt;
  return CellFacts::Course{found->first, found->median};
}

// Mean over the asked queries of ln(keys in sight).
double uniform_entropy(const RunConfig& config) {
  if (config.network.form == Form::scores) return std::log(static_cast<double>(config.data.context));
  const RunSpec spec(config);
  const AttentionMask& mask = spec.attention()->network->mask();
  const int context = spec.attention()->task.shape.context, first = spec.attention()->task.shape.first_asked;
  double sum = 0;
  for (int query = first; query < context; ++query) sum += std::log(seen_keys(mask, query, context).count);
  return sum / (context - first);
}

// What exponents may depend on, from those of these keys that there are: "training.optimizer = adam".
std::string setting_text(const std::vector<CellResult>& cells, const CellFilter& where) {
  std::string text;
  for (const std::string key : {"training.optimizer", "network.layers"}) {
    std::vector<std::string> values;
    for (const CellResult& cell : cells) {
      const RunConfig& config = cell.cell.config;
      if (!run_schema().find(key) || !matches(where, config)) continue;
      const std::string value = to_text(run_schema().at(key).get(config));
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    for (size_t i = 0; i < values.size(); ++i)
      text.append(i > 0 ? ", " : (text.empty() ? "" : "; ") + key + " = ").append(values[i]);
  }
  return text;
}

}  // namespace

std::vector<Diagnosis> diagnose_cell(const Study& study, const CellResult& cell) {
  CellFacts facts;
  facts.seeds = cell.seeds;
  facts.diverged = cell.diverged;
  for (const Phenomenon& phenomenon : study.phenomena) {
    if (phenomenon.detector_name != "plateau") continue;
    const QuantitySummary* present = find_quantity(cell, phenomenon.name + ".present");
    if (present && present->fraction) facts.plateau_share = present->fraction;
  }
  if (const ObservableSummary* perplexity = find_observable(cell, "perplexity"))
    facts.basins = std::max<int64_t>(1, std::ssize(perplexity->basins));
  const ObservableSummary* entropy = find_ending(cell, "attention.entropy");
  if (entropy && std::isfinite(entropy->first)) {
    facts.first_entropy = entropy->first;
    facts.uniform_entropy = uniform_entropy(cell.cell.config);
  }
  facts.loss = course(cell, "loss");
  facts.test_loss = course(cell, "loss.test");
  return diagnose(facts);
}

FitResult fit_cells(const Fit& fit, const std::vector<CellResult>& cells) {
  FitResult result{fit, {}, {}, {}};
  std::vector<std::string> names;
  for (const Fit::Term& term : fit.terms) names.push_back(term.name);
  std::vector<std::vector<double>> sizes;  // of each cell with runs
  for (size_t c = 0; c < cells.size(); ++c) {
    const CellResult& cell = cells[c];
    if (cell.seeds == 0 || !matches(fit.where, cell.cell.config)) continue;
    const Outcomes times = outcomes_of(cell, fit.quantity);
    if (times.empty())
      throw Error(ErrorKind::config, "fit " + fit.name + ": no phenomenon of the study reports " + fit.quantity);
    std::vector<double>& values = sizes.emplace_back();
    for (const Fit::Term& term : fit.terms) values.push_back(term_value(term, cell.cell.config));
    for (const Outcome& time : times) result.runs.push_back({values, time, c});
  }
  result.law = fit_power_law(names, result.runs);
  LawFacts facts{result.law, fit.expected, setting_text(cells, fit.where), 0};
  if (result.law.obstacle.empty())
    for (const std::vector<double>& values : sizes) facts.latest = std::max(facts.latest, result.law.predict(values));
  result.diagnoses = diagnose(facts);
  return result;
}

Verdict judge_fit(const Claim& claim, const FitResult& result) {
  const PowerLaw& law = result.law;
  Verdict verdict;
  verdict.seeds = law.runs;
  verdict.missing = law.missing + law.not_positive;
  verdict.censored = law.censored;
  verdict.diverged = law.diverged;
  verdict.note = law.obstacle;
  if (!law.obstacle.empty()) return verdict;

  const std::string quantity = claim.quantity.substr(result.fit.name.size() + 1);  // constant, r2, exponent.TERM
  const Interval* interval = quantity == "constant" ? &law.constant : quantity == "r2" ? &law.r2 : nullptr;
  for (const LawExponent& one : law.exponents)
    if (quantity == "exponent." + one.term) interval = &one.exponent;
  if (!interval)
    throw Error(ErrorKind::config, "claim " + claim.id + ": the fit " + result.fit.name + " has no " + quantity);
  verdict.estimate = interval->estimate;
  verdict.low = interval->low;
  verdict.high = interval->high;
  verdict.kind = classify(claim, *interval);
  return verdict;
}

}  // namespace atto
