// A claim in every recipe that the publication leaves open: does it hold in all of them, and if not, where does it
// fail?
#pragma once

#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/results/results.h"

namespace atto {

struct RecipeVerdict {
  VerdictKind kind = VerdictKind::inconclusive;
  std::optional<double> estimate, low, high;
};

struct ClaimRecipes {
  std::string claim;
  std::vector<RecipeVerdict> verdicts;  // in the order of the recipes

  int64_t count(VerdictKind kind) const;
};

// What `atto multiverse` found, as it is kept next to the studies: studies/multiverse/NAME.json.
struct MultiverseResult {
  std::string study, command, date;
  int64_t engine_revision = 0, seeds = 0;
  std::vector<Overrides> recipes;
  std::vector<ClaimRecipes> claims;

  const ClaimRecipes* find(const std::string& claim) const;
};

// Every combination of the choices; the last one advances fastest.
std::vector<Overrides> recipes_of(const Multiverse& multiverse);

// The study under a recipe: its choices hold in every cell, and only the claims of the multiverse and their cells are
// left. Error(config) where a cell is no valid run under it.
struct RecipeStudy {
  Study study;
  std::vector<Cell> cells;
  std::vector<Run> runs;
};
RecipeStudy study_under(const Study& study, const Overrides& recipe);

// Judges what the store has of every recipe; Error(missing) if a run is not there.
MultiverseResult judge_multiverse(const Study& study, const std::vector<RecipeStudy>& recipes, const Store& store,
                                  const std::atomic<bool>* stop);

// "holds in 21 of 24 recipes, fails in 2, is open in 1; by network.unembedding: tied 12 of 12, free 9 of 12": the
// choice that matters most is named where the recipes differ.
std::string recipes_text(const ClaimRecipes& claim, const std::vector<Overrides>& recipes);

Json to_json(const MultiverseResult& result);
MultiverseResult multiverse_from(const Json& json);  // throws what the JSON library throws
// Of a study, from the folder `multiverse` next to its file; nothing where there is none. Error(config) for a file that
// cannot be read.
std::optional<MultiverseResult> kept_multiverse(const Study& study);

}  // namespace atto
