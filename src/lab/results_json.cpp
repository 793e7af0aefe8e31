#include "data/task.h"
#include "lab/json.h"
#include "lab/results.h"

namespace atto {
namespace {

template <typename Number>
Json number_list(const std::vector<Number>& numbers) {
  Json list = Json::array();
  for (const Number& number : numbers) list.push_back(number_json(number));
  return list;
}

Json observables_json(const CellResult& cell) {
  Json object = Json::object();
  for (const ObservableSummary& one : cell.observables) {
    Json basins = Json::array();
    for (const Basin& basin : one.basins)
      basins.push_back({{"count", basin.count}, {"low", basin.low}, {"median", basin.median}, {"high", basin.high}});
    object[one.address] = {{"final", number_list(one.final_per_seed)},
                           {"q05", number_json(one.q05)},
                           {"q25", number_json(one.q25)},
                           {"median", number_json(one.median)},
                           {"q75", number_json(one.q75)},
                           {"q95", number_json(one.q95)},
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
    quantity = {{"per_seed", number_list(one.per_seed)}, {"censored", one.censored}};
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

}  // namespace

std::string cells_json(const StudyResult& result) {
  Json list = Json::array();
  for (const CellResult& cell : result.cells)
    list.push_back({{"overrides", to_json(cell.cell.overrides)},
                    {"seeds", cell.seeds},
                    {"diverged", cell.diverged},
                    {"run_ids", cell.run_ids},
                    {"best_loss", number_json(cell.best_loss)},
                    {"references", references_json(cell)},
                    {"observables", observables_json(cell)},
                    {"phenomena", phenomena_json(cell)}});
  return json_text(list);
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
                    {"where", to_json(claim.where)},
                    {"verdict", to_string(verdict.kind)},
                    {"estimate", number_json(verdict.estimate)},
                    {"low", number_json(verdict.low)},
                    {"high", number_json(verdict.high)},
                    {"region", Json::array({number_json(claim.low), number_json(claim.high)})},
                    {"seeds", verdict.seeds},
                    {"missing", verdict.missing},
                    {"censored", verdict.censored},
                    {"diverged", verdict.diverged},
                    {"tuned", one.tuned},
                    {"tuned_against", one.tuned_against},
                    {"note", verdict.note}});
  }
  return json_text(list);
}

}  // namespace atto
