#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/contains.h"
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

// The study as its file has it under the profile that was judged, whatever was asked for now.
const Study& written_as(const Study& study, const std::string& profile) {
  if (study.written)
    for (const Study& one : *study.written)
      if (one.profile == profile) return one;
  return study;
}

// What the claims ask in all recipes now, in the order of the result; empty where one of them is not asked any more.
std::vector<std::string> questions_now(const Study& study, const MultiverseResult& kept) {
  std::vector<std::string> questions(kept.claims.size());
  if (!study.multiverse) return questions;
  std::vector<RecipeStudy> recipes;
  try {
    for (const Overrides& recipe : recipes_of(*study.multiverse)) recipes.push_back(study_under(study, recipe));
  } catch (const Error&) {  // a recipe that is no valid run was not judged
    return questions;
  }
  for (size_t i = 0; i < questions.size(); ++i)
    if (contains(study.multiverse->claims, kept.claims[i].claim))
      questions[i] = recipes_question(recipes, kept.claims[i].claim);
  return questions;
}

void mark_stale(const Study& study, MultiverseResult& kept) {
  const std::vector<std::string> questions = questions_now(written_as(study, kept.profile), kept);
  for (size_t i = 0; i < questions.size(); ++i) {
    ClaimRecipes& claim = kept.claims[i];
    if (kept.engine_revision != kEngineRevision)
      claim.stale = "the engine was revision " + std::to_string(kept.engine_revision) + ", now it is " +
                    std::to_string(kEngineRevision);
    else if (questions[i] != claim.question) claim.stale = "its question has changed since";
  }
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
    claims.push_back({{"claim", claim.claim}, {"question", claim.question}, {"verdicts", std::move(verdicts)}});
  }
  return {{"study", result.study},
          {"profile", result.profile},
          {"command", result.command},
          {"date", result.date},
          {"engine_revision", result.engine_revision},
          {"seeds", result.seeds},
          {"recipes", std::move(recipes)},
          {"claims", std::move(claims)}};
}

MultiverseResult multiverse_from(const Json& json) {
  MultiverseResult result;
  result.study = json.at("study").get<std::string>();
  result.profile = json.at("profile").get<std::string>();
  result.command = json.at("command").get<std::string>();
  result.date = json.at("date").get<std::string>();
  result.engine_revision = json.at("engine_revision").get<int64_t>();
  result.seeds = json.at("seeds").get<int64_t>();
  for (const Json& recipe : json.at("recipes")) {
    Overrides& overrides = result.recipes.emplace_back();
    for (const auto& [key, value] : recipe.items()) overrides.emplace_back(key, value_from(value));
  }
  for (const Json& claim : json.at("claims")) {
    ClaimRecipes& own = result.claims.emplace_back(
        ClaimRecipes{claim.at("claim").get<std::string>(), claim.at("question").get<std::string>(), {}});
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
    MultiverseResult kept = multiverse_from(parse_json(std::string(std::istreambuf_iterator<char>(file), {})));
    mark_stale(study, kept);
    return kept;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::config, path.string() + ": this is no result of `atto multiverse`: " + error.what(),
                "write it again with `atto multiverse " + study.name + " --output " + path.string() + "`");
  }
}

void add_recipes(StudyResult& result) {
  const std::optional<MultiverseResult> kept = kept_multiverse(result.study);
  if (!kept) return;
  for (ClaimResult& one : result.claims)
    if (const ClaimRecipes* const found = kept->find(one.claim.id))
      one.recipes = recipes_text(*found, kept->recipes) + " (" + kept->date +
                    (found->stale.empty() ? "" : "; stale: " + found->stale) + ")";
}

}  // namespace atto
