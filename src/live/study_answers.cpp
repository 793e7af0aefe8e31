// Answers about a study: what it is before anything is trained, and what its runs say.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "data/task.h"
#include "lab/results/answers.h"
#include "lab/results/cell_summary.h"
#include "lab/results/cell_values.h"
#include "lab/results/results_json.h"
#include "live/answers.h"
#include "live/limits.h"
#include "live/request.h"
#include "live/series.h"
#include "observe/memory.h"
#include "spec/applies.h"

namespace atto {
namespace {

// Of the task; none where it takes long to tell.
Json references_json(const RunSpec& spec) {
  Json list = Json::array();
  const AttentionSpec* attention = spec.attention();
  if (attention && attention->task.building > kMostTableBytes) return list;
  for (const ReferenceLoss& one : reference_losses(spec.config().data))
    list.push_back(
        {{"name", one.name}, {"loss", number_json(one.loss)}, {"perplexity", number_json(std::exp(one.loss))}});
  return list;
}

Json series_json(const Study& study, const RunSpec& spec) {
  Json list = Json::array();
  for (const LiveSeries& one : live_series(study, spec))
    list.push_back({{"address", one.address}, {"shape", one.shape}, {"points", one.points}, {"derived", one.derived}});
  return list;
}

// The settings whose values are words or flags: by these it is decided which others apply.
std::string kinds_of(const RunConfig& config) {
  std::string text;
  for (const RunField& field : run_schema().all())
    if (field.type == FieldType::flag || field.type == FieldType::word) text += to_text(field.get(config)) + "\n";
  return text;
}

Json cell_json(const Study& study, const Cell& cell, std::map<std::string, Json>& applying) {
  const RunSpec spec(cell.config);
  const auto [applies, fresh] = applying.try_emplace(kinds_of(cell.config));
  if (fresh) applies->second = keys_that_apply(spec);
  Json config = to_json(cell.config);
  config.erase("seeds.init");
  config.erase("seeds.data");
  return {{"overrides", to_json(cell.overrides)},
          {"text", cell_text(cell.overrides)},
          {"seeds", cell.seeds},
          {"config", std::move(config)},
          {"applies", applies->second},
          {"parameters", spec.parameter_count()},
          {"bytes", estimate_memory(spec, study.observe).total()},
          {"steps", spec.training().steps},
          {"cost", number_json(spec.cost())},
          {"references", references_json(spec)},
          {"series", series_json(study, spec)}};
}

Json phenomena_json(const Study& study) {
  Json list = Json::array();
  for (const Phenomenon& one : study.phenomena) {
    Json quantities = Json::array();
    for (const QuantityHelp& quantity : one.detector->quantities())
      quantities.push_back({{"name", quantity.name}, {"help", quantity.help}, {"yes_or_no", quantity.yes_or_no}});
    list.push_back({{"name", one.name}, {"detector", one.detector_name}, {"quantities", std::move(quantities)}});
  }
  return list;
}

Json claims_json(const Study& study) {
  Json list = Json::array();
  for (const Claim& one : study.claims)
    list.push_back({{"id", one.id},
                    {"statement", one.statement},
                    {"source", one.source},
                    {"published", one.published},
                    {"quantity", one.quantity},
                    {"statistic", to_word(one.statistic)},
                    {"where", to_json(one.where)},
                    {"against", one.against ? to_json(*one.against) : Json(nullptr)},
                    {"compare", one.against ? Json(to_word(one.compare)) : Json(nullptr)},
                    {"with", one.with},
                    {"given", one.given},
                    {"by", number_json(one.by)},
                    {"region", Json::array({number_json(one.low), number_json(one.high)})},
                    {"open", Json::array({one.low_open, one.high_open})},
                    {"headline", one.headline}});
  return list;
}

std::vector<std::string> scalars_of(const Study& study, const Cell& cell) {
  std::vector<std::string> scalars;
  for (const LiveSeries& one : live_series(study, RunSpec(cell.config)))
    if (one.shape.empty()) scalars.push_back(one.address);
  return scalars;
}

// What a request says of a run, in the order in which the judge wants it. What it does not say is missing.
RunFindings findings_of(const Json& run, const std::vector<std::string>& scalars,
                        const std::vector<std::string>& names) {
  RunFindings found;
  found.seed = whole_member(run, "seed");
  found.diverged = flag_member(run, "diverged");
  found.firsts.assign(scalars.size(), std::numeric_limits<double>::quiet_NaN());
  const auto given = [&](const char* key) { return run.contains(key) ? member(run, key) : Json::object(); };
  const Json finals = given("finals"), findings = given("findings");
  for (const std::string& address : scalars) {
    Outcome outcome{std::nullopt, false, found.diverged};
    if (!found.diverged && finals.contains(address)) outcome.value = number_of(finals[address]);
    found.finals.push_back(outcome);
  }
  for (const std::string& name : names) {
    Outcome outcome{std::nullopt, false, found.diverged};
    if (findings.contains(name)) {
      outcome.value = number_of(findings[name].is_object() && findings[name].contains("value") ? findings[name]["value"]
                                                                                               : Json(nullptr));
      outcome.censored = flag_member(findings[name], "censored");
    }
    found.found.push_back(outcome);
  }
  return found;
}

Json quantities_json(const CellResult& cell) {
  Json list = Json::array();
  for (const QuantitySummary& one : cell.quantities) {
    const Estimate estimate = cell_estimate(cell, one.name, one.fraction.has_value());
    list.push_back({{"name", one.name},
                    {"fraction", number_json(one.fraction)},
                    {"median", one.fraction ? Json(nullptr) : number_json(estimate.value)},
                    {"low", number_json(estimate.low)},
                    {"high", number_json(estimate.high)},
                    {"censored", estimate.censored},
                    {"missing", estimate.missing},
                    {"diverged", estimate.diverged}});
  }
  return list;
}

Json observables_json(const CellResult& cell) {
  Json list = Json::array();
  for (const ObservableSummary& one : cell.observables) {
    Json basins = Json::array();
    for (const Basin& basin : one.basins)
      basins.push_back({{"count", basin.count}, {"low", basin.low}, {"median", basin.median}, {"high", basin.high}});
    list.push_back({{"address", one.address},
                    {"median", number_json(one.median)},
                    {"q05", number_json(one.q05)},
                    {"q95", number_json(one.q95)},
                    {"basins", std::move(basins)}});
  }
  return list;
}

}  // namespace

Json study_answer(const Json& request) {
  const auto [study, cells] = asked_study(request);
  Json list = Json::array();
  std::map<std::string, Json> applying;
  for (const Cell& cell : cells) list.push_back(cell_json(study, cell, applying));
  return {{"title", study.title},
          {"summary", study.summary},
          {"source", study.source},
          {"profile", study.profile},
          {"profiles", study.profiles},
          {"seeds", study.seeds.count},
          {"first_seed", study.seeds.first},
          {"cells", std::move(list)},
          {"phenomena", phenomena_json(study)},
          {"claims", claims_json(study)}};
}

// Runs on their way do not count unless the request says `interim`: what will have happened by their end is not known.
Json judge_answer(const Json& request) {
  const auto [study, cells] = asked_study(request);
  const bool interim = flag_member(request, "interim");
  const std::vector<std::string> names = quantity_names(study);
  std::vector<std::vector<std::string>> scalars;
  for (const Cell& cell : cells) scalars.push_back(scalars_of(study, cell));
  std::vector<std::map<int64_t, RunFindings>> runs(cells.size());  // by seed
  for (const Json& run : list_member(request, "runs")) {
    const int64_t cell = whole_member(run, "cell");
    if (cell < 0 || cell >= std::ssize(cells))
      throw Error(ErrorKind::usage, "the study has no cell " + std::to_string(cell));
    if (!interim && !flag_member(run, "finished")) continue;
    const auto index = static_cast<size_t>(cell);
    RunFindings found = findings_of(run, scalars[index], names);
    const int64_t seed = found.seed;
    runs[index].insert_or_assign(seed, std::move(found));
  }
  std::vector<CellResult> judged;
  bool complete = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::vector<RunFindings> found;
    for (auto& [seed, one] : runs[i]) found.push_back(std::move(one));
    complete = complete && std::ssize(found) >= cells[i].seeds;
    judged.push_back(summarise_cell(study, cells[i], scalars[i], found));
  }
  const StudyResult result = judge_cells(study, std::move(judged));
  Json list = Json::array(), answers = Json::array();
  for (const CellResult& cell : result.cells)
    list.push_back({{"runs", cell.seeds},
                    {"diverged", cell.diverged},
                    {"quantities", quantities_json(cell)},
                    {"observables", observables_json(cell)}});
  for (const ClaimResult& claim : result.claims) answers.push_back(answer_text(claim));
  return {{"complete", complete && !interim},
          {"cells", std::move(list)},
          {"verdicts", verdicts_json(result)},
          {"answers", std::move(answers)}};
}

}  // namespace atto
