#include <cmath>
#include <nlohmann/json.hpp>

#include "data/task.h"
#include "lab/results.h"

namespace atto {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities; these words are what Python's float() and NumPy read.
Json json(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json json(std::optional<double> number) { return number ? json(*number) : Json(nullptr); }

template <typename Number>
Json json(const std::vector<Number>& numbers) {
  Json list = Json::array();
  for (const Number& number : numbers) list.push_back(json(number));
  return list;
}

Json json(const std::vector<std::pair<std::string, Value>>& settings) {
  Json object = Json::object();
  for (const auto& [key, value] : settings)
    object[key] = std::visit([](const auto& plain) { return Json(plain); }, value);
  return object;
}

Json observables_json(const CellResult& cell) {
  Json object = Json::object();
  for (const ObservableSummary& one : cell.observables) {
    Json basins = Json::array();
    for (const Basin& basin : one.basins)
      basins.push_back({{"count", basin.count}, {"low", basin.low}, {"median", basin.median}, {"high", basin.high}});
    object[one.address] = {{"final", json(one.final_per_seed)}, {"q05", json(one.q05)}, {"q25", json(one.q25)},
                           {"median", json(one.median)},        {"q75", json(one.q75)}, {"q95", json(one.q95)},
                           {"basins", std::move(basins)}};
  }
  return object;
}

// {"plateau": {"level": {"per_seed": [...], "censored": [...]}}}
Json phenomena_json(const CellResult& cell) {
  Json object = Json::object();
  for (const QuantitySummary& one : cell.quantities) {
    const size_t dot = one.name.rfind('.');
    Json& quantity = object[one.name.substr(0, dot)][one.name.substr(dot + 1)];
    quantity = {{"per_seed", json(one.per_seed)}, {"censored", one.censored}};
    if (one.fraction) quantity["fraction"] = *one.fraction;
  }
  return object;
}

// {"best": 0.0, "guess": 3.9}: what the task itself says can be reached, in nats
Json references_json(const CellResult& cell) {
  Json object = Json::object();
  for (const ReferenceLoss& reference : make_task(cell.cell.config.data)->references())
    object[reference.name] = json(reference.loss);
  return object;
}

// Indented by two; text that is not UTF-8 (a file may hold anything) must not make the report fail.
std::string text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string cells_json(const StudyResult& result) {
  Json list = Json::array();
  for (const CellResult& cell : result.cells)
    list.push_back({{"overrides", json(cell.cell.overrides)},
                    {"seeds", cell.seeds},
                    {"diverged", cell.diverged},
                    {"run_ids", cell.run_ids},
                    {"best_loss", json(cell.best_loss)},
                    {"references", references_json(cell)},
                    {"observables", observables_json(cell)},
                    {"phenomena", phenomena_json(cell)}});
  return text(list);
}

std::string verdicts_json(const StudyResult& result) {
  Json list = Json::array();
  for (const ClaimResult& one : result.claims) {
    const Claim& claim = one.claim;
    const Verdict& verdict = one.verdict;
    list.push_back({{"claim", claim.id},
                    {"study", one.study},
                    {"source", claim.source},
                    {"statement", claim.statement},
                    {"published", claim.published},
                    {"quantity", claim.quantity},
                    {"statistic", to_string(claim.statistic)},
                    {"where", json(claim.where)},
                    {"verdict", to_string(verdict.kind)},
                    {"estimate", json(verdict.estimate)},
                    {"low", json(verdict.low)},
                    {"high", json(verdict.high)},
                    {"region", Json::array({json(claim.low), json(claim.high)})},
                    {"seeds", verdict.seeds},
                    {"missing", verdict.missing},
                    {"censored", verdict.censored},
                    {"diverged", verdict.diverged},
                    {"tuned", one.tuned},
                    {"tuned_against", one.tuned_against},
                    {"note", verdict.note}});
  }
  return text(list);
}

}  // namespace atto
