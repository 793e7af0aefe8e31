#include "lab/results/multiverse.h"

#include <algorithm>
#include <map>

#include "base/contains.h"
#include "lab/provenance/question.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

// How often a claim comes out in a way for each value of one choice.
struct ChoiceTally {
  std::string key;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> values;  // text → so often, of all

  double spread() const {
    double least = 1, most = 0;
    for (const auto& [text, counts] : values) {
      const double share = static_cast<double>(counts.first) / static_cast<double>(counts.second);
      least = std::min(least, share);
      most = std::max(most, share);
    }
    return most - least;
  }
};

std::vector<ChoiceTally> tallies(const ClaimRecipes& claim, const std::vector<Overrides>& recipes, VerdictKind kind) {
  std::vector<ChoiceTally> all;
  for (size_t i = 0; i < recipes.size(); ++i) {
    for (size_t choice = 0; choice < recipes[i].size(); ++choice) {
      if (all.size() <= choice) all.push_back({recipes[i][choice].first, {}});
      auto& values = all[choice].values;
      const std::string text = to_text(recipes[i][choice].second);
      auto found = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == text; });
      if (found == values.end()) found = values.insert(values.end(), {text, {0, 0}});
      found->second.first += claim.verdicts[i].kind == kind;
      ++found->second.second;
    }
  }
  return all;
}

const ChoiceTally* most_spread(const std::vector<ChoiceTally>& choices) {
  const auto most = std::max_element(choices.begin(), choices.end(),
                                     [](const auto& a, const auto& b) { return a.spread() < b.spread(); });
  return most == choices.end() || most->spread() == 0 ? nullptr : &*most;
}

// ", all with network.unembedding = free", or where they have nothing in common ", mostly with training.batch = 16 (5
// of 8)": the value that most of the failures share, of the choice that tells most.
std::string failures_text(const ClaimRecipes& claim, const std::vector<Overrides>& recipes, int64_t failed) {
  const std::vector<ChoiceTally> choices = tallies(claim, recipes, VerdictKind::refuted);
  std::string shared;
  for (const ChoiceTally& choice : choices)
    for (const auto& [value, counts] : choice.values)
      if (counts.first == failed && choice.values.size() > 1)
        shared += (!shared.empty() ? " and " : failed == 1 ? ", with " : ", all with ") + choice.key + " = " + value;
  if (!shared.empty() || most_spread(choices) == nullptr) return shared;
  const ChoiceTally& choice = *most_spread(choices);
  const auto most = std::max_element(choice.values.begin(), choice.values.end(), [](const auto& a, const auto& b) {
    return a.second.first * b.second.second < b.second.first * a.second.second;
  });
  return ", mostly with " + choice.key + " = " + most->first + " (" + count_text(most->second.first) + " of " +
         count_text(most->second.second) + ")";
}

void set_recipe(Study& study, const Overrides& recipe) {
  for (const auto& [key, value] : recipe) {
    run_schema().at(key).set(study.base, value);
    const auto is_key = [&](const Sweep::Axis& axis) { return axis.key == key; };
    std::erase_if(study.sweep.grid, is_key);
    for (auto& group : study.sweep.zips) std::erase_if(group, is_key);
    std::erase_if(study.sweep.zips, [](const auto& group) { return group.empty(); });
    for (Overrides& cell : study.sweep.cells)
      std::erase_if(cell, [&](const auto& override) { return override.first == key; });
  }
}

}  // namespace

int64_t ClaimRecipes::count(VerdictKind kind) const {
  return std::count_if(verdicts.begin(), verdicts.end(), [kind](const RecipeVerdict& one) { return one.kind == kind; });
}

const ClaimRecipes* MultiverseResult::find(const std::string& claim) const {
  const auto found = std::find_if(claims.begin(), claims.end(), [&](const auto& one) { return one.claim == claim; });
  return found == claims.end() ? nullptr : &*found;
}

std::vector<Overrides> recipes_of(const Multiverse& multiverse) {
  std::vector<Overrides> recipes{{}};
  for (const Sweep::Axis& choice : multiverse.choices) {
    std::vector<Overrides> longer;
    for (const Overrides& recipe : recipes)
      for (const Value& value : choice.values) {
        longer.push_back(recipe);
        longer.back().emplace_back(choice.key, value);
      }
    recipes = std::move(longer);
  }
  return recipes;
}

RecipeStudy study_under(const Study& study, const Overrides& recipe) {
  RecipeStudy made{study, {}, {}};
  Study& own = made.study;
  set_recipe(own, recipe);
  std::erase_if(own.claims, [&](const Claim& claim) { return !contains(study.multiverse->claims, claim.id); });
  own.fits.clear();
  own.figures.clear();
  own.seeds.until = Until::count;
  own.seeds.count = study.multiverse->seeds;
  own.seeds.exceptions.clear();
  made.cells = expand_cells(own);
  std::erase_if(made.cells, [&](const Cell& cell) {
    return std::none_of(own.claims.begin(), own.claims.end(),
                        [&](const Claim& claim) { return speaks_of(own, claim, cell.config); });
  });
  made.runs = expand_runs(own, made.cells);
  return made;
}

std::string recipes_question(const std::vector<RecipeStudy>& recipes, const std::string& claim) {
  std::string text;
  for (const RecipeStudy& recipe : recipes)
    for (const Claim& one : recipe.study.claims)
      if (one.id == claim) text += question_text(recipe.study, recipe.cells, one) + "\n";
  return question_hash(text);
}

MultiverseResult judge_multiverse(const Study& study, const std::vector<RecipeStudy>& recipes, const Store& store,
                                  const std::atomic<bool>* stop) {
  MultiverseResult result;
  result.study = study.name;
  result.profile = study.profile;
  result.engine_revision = kEngineRevision;
  result.seeds = study.multiverse->seeds;
  result.recipes = recipes_of(*study.multiverse);
  for (const std::string& id : study.multiverse->claims)
    result.claims.push_back({id, recipes_question(recipes, id), {}});
  for (const RecipeStudy& recipe : recipes) {
    const StudyResult judged = collect(recipe.study, recipe.cells, recipe.runs, store, stop);
    for (ClaimRecipes& claim : result.claims)
      for (const ClaimResult& one : judged.claims)
        if (one.claim.id == claim.claim)
          claim.verdicts.push_back({one.verdict.kind, one.verdict.estimate, one.verdict.low, one.verdict.high});
  }
  return result;
}

std::string recipes_text(const ClaimRecipes& claim, const std::vector<Overrides>& recipes) {
  const int64_t held = claim.count(VerdictKind::supported), failed = claim.count(VerdictKind::refuted);
  const auto all = std::ssize(claim.verdicts);
  std::string text = "holds in " + count_text(held) + " of " + count_text(all, "recipe");
  if (failed > 0) text += "; fails in " + count_text(failed) + failures_text(claim, recipes, failed);
  if (held + failed < all) text += "; open in " + count_text(all - held - failed);
  const std::vector<ChoiceTally> choices = tallies(claim, recipes, VerdictKind::supported);
  const ChoiceTally* const most = most_spread(choices);
  if (most == nullptr) return text;
  text += "; holds by " + most->key + ":";
  for (const auto& [value, counts] : most->values)
    text += " " + value + " " + count_text(counts.first) + " of " + count_text(counts.second) + ",";
  text.pop_back();
  return text;
}

}  // namespace atto
