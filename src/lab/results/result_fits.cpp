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

Verdict counts_of(const PowerLaw& law) {
  Verdict verdict;
  verdict.seeds = law.runs;
  verdict.missing = law.missing + law.not_positive;
  verdict.censored = law.censored;
  verdict.diverged = law.diverged;
  verdict.cells = law.cells;
  return verdict;
}

// The fit's number that a claim calls `name`: "law.constant", "law.r2", "law.exponent.TERM".
Interval number_of(const Claim& claim, const std::string& name, const FitResult& result) {
  const std::string& fit = result.fit.name;
  if (name == fit + ".constant") return result.law.constant;
  if (name == fit + ".r2") return result.law.r2;
  for (const LawExponent& one : result.law.exponents)
    if (name == fit + ".exponent." + one.term) return one.exponent;
  throw Error(ErrorKind::config, "claim " + claim.id + ": the fit " + fit + " has no number called " + name);
}

// Two numbers with an interval each: the distances of the limits that push the difference the same way add in
// quadrature (as in share_difference); a ratio is the difference of the logarithms.
Interval compared(Comparison compare, const Interval& a, const Interval& b) {
  if (compare == Comparison::ratio) {
    const auto logs = [](const Interval& one) {
      return Interval{std::log(one.estimate), std::log(one.low), std::log(one.high)};
    };
    const Interval apart = compared(Comparison::difference, logs(a), logs(b));
    return {std::exp(apart.estimate), std::exp(apart.low), std::exp(apart.high)};
  }
  const double estimate = a.estimate - b.estimate;
  return {estimate, estimate - std::hypot(a.estimate - a.low, b.high - b.estimate),
          estimate + std::hypot(a.high - a.estimate, b.estimate - b.low)};
}

void place(const Claim& claim, const Interval& interval, Verdict& verdict) {
  verdict.estimate = interval.estimate;
  verdict.low = interval.low;
  verdict.high = interval.high;
  verdict.kind = claim.region().place(interval);
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

FitResult fit_cells(const Fit& fit, const std::vector<CellResult>& cells, const SeedLimit& limit, double level) {
  FitResult result{fit, {}, {}, {}};
  std::vector<std::string> names;
  for (const Fit::Term& term : fit.terms) names.push_back(term.name);
  std::vector<std::vector<double>> sizes;  // of each cell with runs
  for (size_t c = 0; c < cells.size(); ++c) {
    const CellResult& cell = cells[c];
    if (cell.seeds == 0 || !matches(fit.where, cell.cell.config)) continue;
    Outcomes times = outcomes_of(cell, fit.quantity);
    if (times.empty())
      throw Error(ErrorKind::config, "fit " + fit.name + ": no phenomenon of the study reports " + fit.quantity);
    if (limit) times.resize(std::min(times.size(), static_cast<size_t>(limit(cell))));
    std::vector<double>& values = sizes.emplace_back();
    for (const Fit::Term& term : fit.terms) values.push_back(term_value(term, cell.cell.config));
    for (const Outcome& time : times) result.runs.push_back({values, time, c});
  }
  result.law = fit_power_law(names, result.runs, level);
  LawFacts facts{result.law, fit.expected, setting_text(cells, fit.where), 0};
  if (result.law.obstacle.empty())
    for (const std::vector<double>& values : sizes) facts.latest = std::max(facts.latest, result.law.predict(values));
  result.diagnoses = diagnose(facts);
  return result;
}

Verdict judge_fit(const Claim& claim, const FitResult& result) {
  Verdict verdict = counts_of(result.law);
  verdict.note = result.law.obstacle;
  if (verdict.note.empty()) place(claim, number_of(claim, claim.quantity, result), verdict);
  complete_from_interval(claim, verdict);
  return verdict;
}

Verdict judge_fits(const Claim& claim, const FitResult& first, const FitResult& second) {
  Verdict verdict = counts_of(first.law);
  const Verdict others = counts_of(second.law);
  verdict.seeds += others.seeds;
  verdict.missing += others.missing;
  verdict.censored += others.censored;
  verdict.diverged += others.diverged;
  verdict.note = first.law.obstacle.empty() ? second.law.obstacle : first.law.obstacle;
  if (verdict.note.empty())
    place(claim, compared(claim.compare, number_of(claim, claim.quantity, first), number_of(claim, claim.with, second)),
          verdict);
  complete_from_interval(claim, verdict);
  return verdict;
}

}  // namespace atto
