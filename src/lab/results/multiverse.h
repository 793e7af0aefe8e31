// A claim in every recipe that the publication leaves open: does it hold in all of them, and if not, where does it
// fail?
#pragma once

#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/results/results.h"
#include "lab/store/store.h"

namespace atto {

struct RecipeVerdict {
  VerdictKind kind = VerdictKind::inconclusive;
  std::optional<double> estimate, low, high;
};

struct ClaimRecipes {
  std::string claim;
  std::string question;                 // hash of what it asked in all recipes
  std::vector<RecipeVerdict> verdicts;  // in the order of the recipes
  // Of one that was kept: why it may come out otherwise now. "the engine was revision 4, now it is 5", "its question
  // has changed since"; "" where nothing changed.
  std::string stale = {};

  int64_t count(VerdictKind kind) const;
};

// What `atto multiverse` found, as it is kept next to the studies: studies/multiverse/NAME.json.
struct MultiverseResult {
  std::string study, profile, command, date;
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

// The hash of what a claim of the multiverse asks in all recipes together.
std::string recipes_question(const std::vector<RecipeStudy>& recipes, const std::string& claim);

// Judges what the store has of every recipe; Error(missing) if a run is not there.
MultiverseResult judge_multiverse(const Study& study, const std::vector<RecipeStudy>& recipes, const Store& store,
                                  const std::atomic<bool>* stop);

// "holds in 21 of 24 recipes; fails in 2, all with network.unembedding = free; open in 1; holds by network.unembedding:
// tied 12 of 12, free 9 of 12": what recipes in which it fails have in common is named, or else the value with most of
// them, and the choice that matters most.
std::string recipes_text(const ClaimRecipes& claim, const std::vector<Overrides>& recipes);

Json to_json(const MultiverseResult& result);
MultiverseResult multiverse_from(const Json& json);  // throws what the JSON library throws
// Of a study, from the folder `multiverse` next to its file; nothing where there is none. Error(config) for a file that
// cannot be read. What is stale in it is found by comparing the engine revision and the questions.
std::optional<MultiverseResult> kept_multiverse(const Study& study);
// Into the claims of a result (ClaimResult::recipes): the text above, when it was judged, and whether that is stale.
void add_recipes(StudyResult& result);

}  // namespace atto
