// From cells to fitted laws, verdicts on them, and diagnoses.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "data/regression.h"
#include "kernels/wide/wide_kernels.h"
#include "lab/results/results.h"
#include "phenomena/laws/law_difference.h"
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

// Every run counts once, whether it is in one of the fits or in both.
Verdict counts_of(const std::vector<const FitResult*>& fits) {
  std::map<std::pair<size_t, size_t>, Outcome> runs;  // (cell, place in it)
  std::set<size_t> cells;
  for (const FitResult* fit : fits) {
    std::map<size_t, size_t> places;
    for (const LawRun& run : fit->runs) {
      Outcome time = run.time;
      if (time.value && !(std::isfinite(*time.value) && *time.value > 0)) time.value.reset();  // it has no logarithm
      cells.insert(run.cell);
      Outcome& known = runs.try_emplace({run.cell, places[run.cell]++}, time).first->second;
      if (!time.exists()) known.value.reset();
      known.censored = known.censored || time.censored;
      known.diverged = known.diverged || time.diverged;
    }
  }
  Verdict verdict;
  for (const auto& [place, time] : runs) {
    ++verdict.seeds;
    if (time.diverged) ++verdict.diverged;
    else if (!time.exists()) ++verdict.missing;
    if (time.exists() && time.censored) ++verdict.censored;
  }
  verdict.cells = std::ssize(cells);
  return verdict;
}

// The fit's number that a claim calls `name`: "law.constant", "law.r2", "law.exponent.TERM".
const LawNumber& number_of(const Claim& claim, const std::string& name, const FitResult& result) {
  const std::string& fit = result.fit.name;
  if (name == fit + ".constant") return result.law.constant;
  if (name == fit + ".r2") return result.law.r2;
  for (const LawExponent& one : result.law.exponents)
    if (name == fit + ".exponent." + one.term) return one.exponent;
  throw Error(ErrorKind::config, "claim " + claim.id + ": the fit " + fit + " has no number called " + name);
}

bool is_r2(const std::string& name, const FitResult& result) { return name == result.fit.name + ".r2"; }

LawSide side_of(const std::string& name, const FitResult& result) {
  LawSide side{{}, result.runs, 0};
  for (const LawExponent& one : result.law.exponents) {
    side.names.push_back(one.term);
    if (name == result.fit.name + ".exponent." + one.term) side.number = side.names.size();
  }
  return side;
}

// R² is no coefficient that two fits could be resampled for together: each side has half of the error, and the interval
// is what both intervals allow.
LawNumber compare_r2(const Claim& claim, const FitResult& first, const FitResult& second, double level) {
  const auto again = [&](const std::string& name, FitResult fit) {
    fit.law = fit_power_law(side_of(name, fit).names, fit.runs, 1 - (1 - level) / 2);
    return number_of(claim, name, fit);
  };
  const LawNumber a = again(claim.quantity, first), b = again(claim.with, second);
  const double freedom = std::min(a.freedom, b.freedom);
  if (claim.compare == Comparison::difference)
    return {{a.estimate - b.estimate, a.low - b.high, a.high - b.low}, freedom, {}};
  const double most = b.low > 0 ? a.high / b.low : std::numeric_limits<double>::infinity();
  return {{a.estimate / b.estimate, a.low / b.high, most}, freedom, {}};
}

std::optional<LawNumber> compare_numbers(const Claim& claim, const FitResult& first, const FitResult& second,
                                         double level) {
  number_of(claim, claim.quantity, first);  // both exist
  number_of(claim, claim.with, second);
  if (is_r2(claim.quantity, first) || is_r2(claim.with, second)) return compare_r2(claim, first, second, level);
  return compare_law_numbers(side_of(claim.quantity, first), side_of(claim.with, second), claim.compare, level);
}

// Judged by the whole interval; says so where only the runs without a time leave it open.
void classify(const Claim& claim, const LawNumber& number, Verdict& verdict) {
  verdict.estimate = number.estimate;
  verdict.low = number.low;
  verdict.high = number.high;
  verdict.kind = claim.region().classify(number);
  if (!number.seen) return;
  const VerdictKind without = claim.region().classify(*number.seen);
  const std::string runs =
      std::to_string(verdict.missing + verdict.diverged) + " runs without a time could lie anywhere";
  verdict.note = without == verdict.kind ? runs + ", which changes nothing"
                                         : runs + "; without them it would be " + to_word(without);
}

// The error, and why it is open.
void complete_fit(const Claim& claim, const LawNumber* number, const Certainty& certainty, Verdict& verdict) {
  complete_from_interval(claim, certainty, number ? number->freedom : 1, verdict);
  if (number && number->seen && verdict.kind == VerdictKind::inconclusive &&
      claim.region().classify(*number->seen) != VerdictKind::inconclusive)
    verdict.reason = OpenReason::unknown;
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

Verdict judge_fit(const Claim& claim, const FitResult& result, const Certainty& certainty) {
  Verdict verdict = counts_of({&result});
  verdict.note = result.law.obstacle;
  const LawNumber* number = verdict.note.empty() ? &number_of(claim, claim.quantity, result) : nullptr;
  if (number) classify(claim, *number, verdict);
  complete_fit(claim, number, certainty, verdict);
  return verdict;
}

Verdict judge_fits(const Claim& claim, const FitResult& first, const FitResult& second, const Certainty& certainty) {
  Verdict verdict = counts_of({&first, &second});
  verdict.note = first.law.obstacle.empty() ? second.law.obstacle : first.law.obstacle;
  std::optional<LawNumber> number;
  if (verdict.note.empty()) {
    number = compare_numbers(claim, first, second, certainty.spent_level());
    if (number) classify(claim, *number, verdict);
    else verdict.note = "the known times do not determine both laws";
  }
  complete_fit(claim, number ? &*number : nullptr, certainty, verdict);
  return verdict;
}

}  // namespace atto
