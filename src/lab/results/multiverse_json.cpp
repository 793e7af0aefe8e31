#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "lab/results/multiverse.h"

namespace atto {
namespace {

std::optional<double> number_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if (json.is_string()) return json.get<std::string>() == "inf" ? INFINITY : -INFINITY;
  return json.get<double>();
}

Value value_from(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

Json to_json(const MultiverseResult& result) {
  Json recipes = Json::array(), claims = Json::array();
  for (const Overrides& recipe : result.recipes) recipes.push_back(to_json(recipe));
  for (const ClaimRecipes& claim : result.claims) {
    Json verdicts = Json::array();
    for (const RecipeVerdict& one : claim.verdicts)
      verdicts.push_back(
          Json::array({to_word(one.kind), number_json(one.estimate), number_json(one.low), number_json(one.high)}));
    claims.push_back({{"claim", claim.claim}, {"verdicts", std::move(verdicts)}});
  }
  return {{"study", result.study},      {"command", result.command},
          {"date", result.date},        {"engine_revision", result.engine_revision},
          {"seeds", result.seeds},      {"recipes", std::move(recipes)},
          {"claims", std::move(claims)}};
}

MultiverseResult multiverse_from(const Json& json) {
  MultiverseResult result;
  result.study = json.at("study").get<std::string>();
  result.command = json.at("command").get<std::string>();
  result.date = json.at("date").get<std::string>();
  result.engine_revision = json.at("engine_revision").get<int64_t>();
  result.seeds = json.at("seeds").get<int64_t>();
  for (const Json& recipe : json.at("recipes")) {
    Overrides& overrides = result.recipes.emplace_back();
    for (const auto& [key, value] : recipe.items()) overrides.emplace_back(key, value_from(value));
  }
  for (const Json& claim : json.at("claims")) {
    ClaimRecipes& own = result.claims.emplace_back(ClaimRecipes{claim.at("claim").get<std::string>(), {}});
    for (const Json& one : claim.at("verdicts"))
      own.verdicts.push_back({from_word<VerdictKind>(one.at(0).get<std::string>()), number_from(one.at(1)),
                              number_from(one.at(2)), number_from(one.at(3))});
    if (own.verdicts.size() != result.recipes.size())
      throw Error(ErrorKind::config, "claim " + own.claim + " has a verdict for " +
                                         std::to_string(own.verdicts.size()) + " of " +
                                         std::to_string(result.recipes.size()) + " recipes");
  }
  return result;
}

std::optional<MultiverseResult> kept_multiverse(const Study& study) {
  if (!study.multiverse) return std::nullopt;
  const std::filesystem::path path =
      std::filesystem::path(study.path).parent_path() / "multiverse" / (study.name + ".json");
  std::ifstream file(path);
  if (!file) return std::nullopt;
  try {
    return multiverse_from(Json::parse(file));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::config, path.string() + ": this is no result of `atto multiverse`: " + error.what(),
                "write it anew with `atto multiverse " + study.name + " --output " + path.string() + "`");
  }
}

}  // namespace atto
