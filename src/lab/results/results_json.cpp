#include "lab/results/results_json.h"

#include "data/task.h"
#include "lab/results/answers.h"
#include "lab/results/format_text.h"
#include "lab/results/multiverse.h"

namespace atto {
namespace {

Json values_json(const Outcomes& outcomes) {
  Json list = Json::array();
  for (const Outcome& one : outcomes) list.push_back(number_json(one.value));
  return list;
}

Json censored_json(const Outcomes& outcomes) {
  Json list = Json::array();
  for (const Outcome& one : outcomes) list.push_back(one.censored);
  return list;
}

Json run_ids_json(const CellResult& cell) {
  Json list = Json::array();
  for (const CellRun& run : cell.runs) list.push_back(run.id);
  return list;
}

Json observables_json(const CellResult& cell) {
  Json object = Json::object();
  for (const ObservableSummary& one : cell.observables) {
    Json basins = Json::array();
    for (const Basin& basin : one.basins)
      basins.push_back({{"count", basin.count}, {"low", basin.low}, {"median", basin.median}, {"high", basin.high}});
    object[one.address] = {{"first", number_json(one.first)},   {"final", values_json(one.finals)},
                           {"q05", number_json(one.q05)},       {"q25", number_json(one.q25)},
                           {"median", number_json(one.median)}, {"q75", number_json(one.q75)},
                           {"q95", number_json(one.q95)},       {"basins", std::move(basins)}};
  }
  return object;
}

// {"plateau": {"level": {"per_seed": [...], "censored": [...]}}}
Json phenomena_json(const CellResult& cell) {
  Json object = Json::object();
  for (const QuantitySummary& one : cell.quantities) {
    const size_t dot = one.name.rfind('.');
    Json& quantity = object[one.name.substr(0, dot)][one.name.substr(dot + 1)];
    quantity = {{"per_seed", values_json(one.outcomes)}, {"censored", censored_json(one.outcomes)}};
    if (one.fraction) quantity["fraction"] = *one.fraction;
  }
  return object;
}

// {"best": 0.0, "guess": 3.9}: what the task itself says can be reached, in nats
Json references_json(const CellResult& cell) {
  Json object = Json::object();
  for (const ReferenceLoss& reference : reference_losses(cell.cell.config.data))
    object[reference.name] = number_json(reference.loss);
  return object;
}

Json diagnoses_json(const std::vector<Diagnosis>& diagnoses) {
  Json list = Json::array();
  for (const Diagnosis& one : diagnoses)
    list.push_back({{"name", one.name}, {"signature", one.signature}, {"remedy", one.remedy}});
  return list;
}

Json interval_json(const Interval& interval) {
  return {{"estimate", number_json(interval.estimate)},
          {"low", number_json(interval.low)},
          {"high", number_json(interval.high)}};
}

// {"length": {"estimate": 0.99, "low": 0.97, "high": 1.01, "decades": 1.2, "left_out": [0.98, 1.0], "expected": 1}}
Json exponents_json(const FitResult& one) {
  Json object = Json::object();
  for (const LawExponent& exponent : one.law.exponents) {
    Json& entry = object[exponent.term] = interval_json(exponent.exponent);
    entry["decades"] = number_json(exponent.decades);
    entry["left_out"] =
        exponent.left_out ? Json::array({number_json(exponent.left_out->first), number_json(exponent.left_out->second)})
                          : Json(nullptr);
    entry["expected"] = nullptr;
    for (const auto& [term, expected] : one.fit.expected)
      if (term == exponent.term) entry["expected"] = number_json(expected);
  }
  return object;
}

// The keys are always the same; where there is no law, `obstacle` says why and its numbers are null.
Json fit_json(const FitResult& one) {
  const PowerLaw& law = one.law;
  const bool fitted = law.obstacle.empty();
  Json terms = Json::object(), forms = Json::object(), broken = nullptr;
  for (const Fit::Term& term : one.fit.terms) terms[term.name] = term.expression.text();
  for (const LawForm& form : law.forms) forms[to_word(form.kind)] = number_json(form.aicc);
  if (law.broken)
    broken = {{"term", law.broken->term},
              {"at", number_json(law.broken->at)},
              {"before", number_json(law.broken->before)},
              {"after", number_json(law.broken->after)}};
  return {{"name", one.fit.name},
          {"quantity", one.fit.quantity},
          {"terms", std::move(terms)},
          {"where", to_json(one.fit.where)},
          {"constant", fitted ? interval_json(law.constant) : Json(nullptr)},
          {"exponents", exponents_json(one)},
          {"r2", fitted ? interval_json(law.r2) : Json(nullptr)},
          {"decades", fitted ? number_json(law.time_decades) : Json(nullptr)},
          {"deviation", fitted ? number_json(law.deviation) : Json(nullptr)},
          {"preferred", law.preferred ? Json(to_word(*law.preferred)) : Json(nullptr)},
          {"aicc", std::move(forms)},
          {"break", std::move(broken)},
          {"cells", law.cells},
          {"runs", law.runs},
          {"used", law.used},
          {"censored", law.censored},
          {"diverged", law.diverged},
          {"missing", law.missing},
          {"not_positive", law.not_positive},
          {"obstacle", law.obstacle},
          {"diagnosis", diagnoses_json(one.diagnoses)}};
}

// The fits that take in a cell. The list stays one of cells, so a fit over many stands in each of them.
Json fits_of_cell(const StudyResult& result, const CellResult& cell) {
  Json list = Json::array();
  for (const FitResult& one : result.fits)
    if (matches(one.fit.where, cell.cell.config)) list.push_back(fit_json(one));
  return list;
}

// The fit that a claim speaks of, or null.
Json fit_of_claim(const StudyResult& result, const Claim& claim) {
  if (claim.statistic == Statistic::fit)
    for (const FitResult& one : result.fits)
      if (claim.quantity.starts_with(one.fit.name + ".")) return fit_json(one);
  return nullptr;
}

// In how many recipes of the study's multiverse the claim holds; null where it was judged in none.
Json recipes_json(const std::optional<MultiverseResult>& kept, const std::string& claim) {
  const ClaimRecipes* const found = kept ? kept->find(claim) : nullptr;
  if (found == nullptr) return nullptr;
  Json counts = Json::object();
  for (const VerdictKind kind : {VerdictKind::supported, VerdictKind::refuted, VerdictKind::inconclusive})
    counts[to_word(kind)] = found->count(kind);
  counts["text"] = recipes_text(*found, kept->recipes);
  counts["stale"] = found->stale;
  counts["command"] = kept->command;
  counts["date"] = kept->date;
  counts["engine_revision"] = kept->engine_revision;
  return counts;
}

}  // namespace

Json fits_json(const StudyResult& result) {
  Json list = Json::array();
  for (const FitResult& one : result.fits) list.push_back(fit_json(one));
  return list;
}

Json cells_json(const StudyResult& result) {
  Json list = Json::array();
  for (const CellResult& cell : result.cells)
    list.push_back({{"overrides", to_json(cell.cell.overrides)},
                    {"seeds", cell.seeds},
                    {"diverged", cell.diverged},
                    {"run_ids", run_ids_json(cell)},
                    {"best_loss", number_json(cell.best_loss)},
                    {"references", references_json(cell)},
                    {"observables", observables_json(cell)},
                    {"phenomena", phenomena_json(cell)},
                    {"fits", fits_of_cell(result, cell)},
                    {"diagnosis", diagnoses_json(cell.diagnoses)}});
  return list;
}

Json verdicts_json(const StudyResult& result) {
  Json list = Json::array();
  const std::optional<MultiverseResult> recipes = kept_multiverse(result.study);
  for (const ClaimResult& one : result.claims) {
    const Claim& claim = one.claim;
    const Verdict& verdict = one.verdict;
    list.push_back({{"claim", claim.id},
                    {"study", one.study},
                    {"source", claim.source},
                    {"publication", publication_of(claim.source)},
                    {"statement", claim.statement},
                    {"published", claim.published},
                    {"quantity", claim.quantity},
                    {"statistic", to_word(claim.statistic)},
                    {"where", to_json(claim.where)},
                    {"origin", to_word(claim.provenance.origin)},
                    {"scope", claim.provenance.scope ? Json(to_word(*claim.provenance.scope)) : Json(nullptr)},
                    {"at", one.at},
                    {"calibrated", one.calibrated},
                    {"calibration", result.study.calibrated},
                    {"verdict", to_word(verdict.kind)},
                    {"estimate", number_json(verdict.estimate)},
                    {"low", number_json(verdict.low)},
                    {"high", number_json(verdict.high)},
                    {"anytime_low", number_json(verdict.anytime_low)},
                    {"anytime_high", number_json(verdict.anytime_high)},
                    {"rests_on", to_word(verdict.rests_on)},
                    {"looks", verdict.looks},
                    {"paired", verdict.paired},
                    {"error", number_json(verdict.error)},
                    {"adjusted", verdict.adjusted ? Json(to_word(*verdict.adjusted)) : Json(nullptr)},
                    {"reason", to_word(verdict.reason)},
                    {"reason_text", reason_text(claim, verdict)},
                    {"region", Json::array({number_json(claim.low), number_json(claim.high)})},
                    {"seeds", verdict.seeds},
                    {"missing", verdict.missing},
                    {"censored", verdict.censored},
                    {"diverged", verdict.diverged},
                    {"outside", verdict.outside},
                    {"cells", verdict.cells},
                    {"tuned", one.tuned},
                    {"tuned_against", one.tuned_against},
                    {"fit", fit_of_claim(result, claim)},
                    {"same_number_as", one.same_number_as.empty() ? Json(nullptr) : Json(one.same_number_as)},
                    {"headline", claim.headline},
                    {"answer", answer_text(one)},
                    {"recipes", recipes_json(recipes, claim.id)},
                    {"note", verdict.note}});
    if (claim.low_open || claim.high_open) list.back()["open"] = Json::array({claim.low_open, claim.high_open});
    if (!claim.given.empty()) list.back()["given"] = claim.given;
    if (claim.by) list.back()["by"] = number_json(*claim.by);
    if (!claim.with.empty()) list.back()["with"] = claim.with;
    if (claim.statistic == Statistic::coincidence) list.back()["within"] = number_json(claim.within);
  }
  return list;
}

Json verdicts_with_status_json(const StudyResult& result) {
  Json list = verdicts_json(result);
  for (size_t i = 0; i < result.claims.size(); ++i) {
    const Status& status = result.claims[i].status;
    list[i]["status"] = to_word(status.kind);
    list[i]["status_runs"] = status.runs;
    list[i]["status_text"] = status_text(status);
  }
  return list;
}

}  // namespace atto
