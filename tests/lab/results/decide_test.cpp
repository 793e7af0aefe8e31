// Seeds until decided: the runs and the verdicts follow from the study alone.
#include "lab/results/decide.h"

#include <gtest/gtest.h>

#include "lab/results/families.h"
#include "lab/results/multiverse.h"
#include "lab/results/power.h"
#include "lab/store/store_samples.h"

namespace atto::decide_test {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's

const std::string kText = R"([data]
vocab = 4
context = 2

[network]
width = 2

[training]
steps = 10
batch = 16

[[observe]]
what = ["loss"]
every = 5

[sweep.grid]
training.rate = [0.01, 0.02]

[seeds]
count = 16
until = "decided"
most = 64

[[phenomenon]]
name = "end"
detector = "value"
series = "loss"
at = "final"

[[claim]]
id = "clear"
statement = "the loss is above 0"
quantity = "end.value"
statistic = "median"
where = { training.rate = 0.01 }
above = 0

[[claim]]
id = "coin"
statement = "the loss is about one half"
quantity = "end.value"
statistic = "median"
where = { training.rate = 0.02 }
below = 0.5

[multiverse]
claims = ["clear"]
seeds = 6

[multiverse.choices]
training.batch = [16, 32]
)";

// A stand-in for training: the final loss of a seed is 1 at the first rate, and at the second swings about one half.
RecordResult pretend(const RunSpec& spec, const SeriesPlan&, const StepCallback& on_progress,
                     std::optional<Checkpoint> = std::nullopt) {
  const RunConfig& config = spec.config();
  if (!on_progress({config.training.steps, [] { return Checkpoint(); }})) return {};
  RecordResult result;
  result.finished = true;
  const double swing = config.seeds.init % 2 == 0 ? 0.4 : 0.6;
  result.recording.steps_done = config.training.steps;
  result.recording.series = {{"loss", {}, {0, 10}, {1, config.training.rate < 0.015 ? 1 : swing}}};
  return result;
}

class Decide : public StoreFolder {};
class Recipes : public StoreFolder {};

struct Trained {
  Decided decided;
  std::vector<int> open;  // claims open after each look
  std::vector<int64_t> next_runs;
};

Trained train(const Study& study, Store& store, int threads = 1, const std::atomic<bool>* stop = nullptr) {
  Trained trained;
  DecideOptions options;
  options.sweep.threads = threads;
  options.sweep.train = pretend;
  options.sweep.stop = stop;
  options.on_look = [&](const Look& look) {
    trained.open.push_back(static_cast<int>(look.open.size()));
    trained.next_runs.push_back(look.next_runs);
  };
  trained.decided = train_until_decided(study, expand_cells(study), store, options);
  return trained;
}

int64_t runs_of_cell(const Decided& decided, size_t cell) {
  return std::count_if(decided.runs.begin(), decided.runs.end(), [&](const TrainRun& run) { return run.cell == cell; });
}

TEST_F(Decide, GivesSeedsToTheClaimsThatAreOpen) {
  const Study study = parse_study(kText, "a.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  const Trained trained = train(study, store);
  ASSERT_TRUE(trained.decided.result);
  const StudyResult& result = *trained.decided.result;
  EXPECT_EQ(result.claims[0].verdict.kind, VerdictKind::supported);
  EXPECT_EQ(result.claims[0].verdict.looks, 1);
  EXPECT_EQ(runs_of_cell(trained.decided, 0), 16) << "a decided claim asks for no more";
  EXPECT_EQ(result.claims[1].verdict.kind, VerdictKind::inconclusive);
  EXPECT_EQ(runs_of_cell(trained.decided, 1), 64) << "an open one gets all there are";
  EXPECT_EQ(result.claims[1].verdict.looks, look_count(study.seeds));
  EXPECT_EQ(static_cast<int>(trained.open.size()), look_count(study.seeds));
  EXPECT_EQ(trained.open.front(), 1);
  EXPECT_EQ(trained.open.back(), 1) << "what stays open is told of the last look, too";
  EXPECT_GT(trained.next_runs.front(), 0);
  EXPECT_EQ(trained.next_runs.back(), 0) << "nothing is asked for after it";
}

TEST_F(Decide, DependsOnTheSeedsAndNotOnThreadsOrSittings) {
  const Study study = parse_study(kText, "a.toml", {});
  Store first(path("a.db"), Store::Mode::write), second(path("b.db"), Store::Mode::write);
  const Trained alone = train(study, first, 1), together = train(study, second, 2);
  EXPECT_EQ(first.content_digest(), second.content_digest());
  const auto verdicts = [](const StudyResult& result) {
    std::vector<std::tuple<VerdictKind, int, int64_t, double>> list;
    for (const ClaimResult& one : result.claims)
      list.emplace_back(one.verdict.kind, one.verdict.looks, one.verdict.seeds, *one.verdict.low);
    return list;
  };
  EXPECT_EQ(verdicts(*alone.decided.result), verdicts(*together.decided.result));
  // From the store alone, as `show` and `report` read it, and with more runs of the decided cell than it asked for.
  Study longer = study;
  longer.seeds.until = Until::count;
  longer.seeds.count = 40;
  train(longer, first, 1);
  const std::vector<Cell> cells = expand_cells(study);
  const StudyResult stored = collect(study, cells, stored_runs(study, cells, first), first);
  EXPECT_EQ(verdicts(stored), verdicts(*alone.decided.result));
}

TEST_F(Decide, AStopKeepsWhatIsThere) {
  const Study study = parse_study(kText, "a.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(train(study, store, 1, &stop).decided.result);
  EXPECT_TRUE(train(study, store).decided.result);
}

TEST_F(Recipes, AreJudgedOneByOne) {
  const Study study = parse_study(kText, "a.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  std::vector<RecipeStudy> recipes;
  for (const Overrides& recipe : recipes_of(*study.multiverse)) recipes.push_back(study_under(study, recipe));
  ASSERT_EQ(recipes.size(), 2u);
  EXPECT_EQ(recipes[1].study.base.training.batch, 32);
  EXPECT_EQ(recipes[0].cells.size(), 1u) << "only cells that its claims speak of";
  SweepOptions sweep;
  sweep.train = pretend;
  for (const RecipeStudy& one : recipes) run_all(study, one.runs, store, sweep);
  const MultiverseResult result = judge_multiverse(study, recipes, store, nullptr);
  ASSERT_EQ(result.claims.size(), 1u);
  EXPECT_EQ(result.claims[0].count(VerdictKind::supported), 2);
  EXPECT_EQ(recipes_text(result.claims[0], result.recipes), "holds in 2 of 2 recipes");
  const MultiverseResult back = multiverse_from(to_json(result));
  EXPECT_EQ(to_json(back), to_json(result));
}

TEST(RecipesText, NamesTheChoiceThatMatters) {
  ClaimRecipes claim{"one", "", {}};
  std::vector<Overrides> recipes;
  for (const std::string tying : {"tied", "free"}) {
    for (const int64_t batch : {int64_t{16}, int64_t{32}}) {
      recipes.push_back({{"network.unembedding", tying}, {"training.batch", batch}});
      claim.verdicts.push_back(
          {tying == std::string("free") ? VerdictKind::refuted : VerdictKind::supported, {}, {}, {}});
    }
  }
  EXPECT_EQ(
      recipes_text(claim, recipes),
      "holds in 2 of 4 recipes; fails in 2, all with network.unembedding = free; holds by network.unembedding: tied "
      "2 of 2, free 0 of 2");
  claim.verdicts[0].kind = VerdictKind::inconclusive;
  claim.verdicts[1].kind = VerdictKind::refuted;
  EXPECT_EQ(recipes_text(claim, recipes),
            "holds in 0 of 4 recipes; fails in 3, mostly with network.unembedding = free (2 of 2); open in 1");
}

TEST(RecipesText, WhatAllRecipesShareTellsNothingOfThoseThatFail) {
  std::vector<Overrides> recipes;
  for (const std::string tying : {"tied", "free"})
    recipes.push_back({{"network.unembedding", tying}, {"training.batch", int64_t{16}}});
  const ClaimRecipes claim{"one", "", {{VerdictKind::supported, {}, {}, {}}, {VerdictKind::refuted, {}, {}, {}}}};
  EXPECT_EQ(recipes_text(claim, recipes),
            "holds in 1 of 2 recipes; fails in 1, with network.unembedding = free; holds by network.unembedding: tied "
            "1 of 1, free 0 of 1");
}

TEST(Power, SaysWhatNoOutcomeDecides) {
  std::string text = kText.substr(0, kText.find("[[claim]]"));
  text.replace(text.find("until"), text.find("[[phenomenon]]") - text.find("until"), "\n");
  text += "[[phenomenon]]\nname = \"low\"\ndetector = \"emergence\"\nseries = \"loss\"\n";
  const auto claim = [](const std::string& id, const std::string& lines) {
    return "[[claim]]\nid = \"" + id + "\"\nstatement = \"x\"\n" + lines;
  };
  text += claim("few", "quantity = \"low.emerged\"\nstatistic = \"rate\"\nregion = [0, 0.1]\n");
  text += claim("fine", "quantity = \"low.emerged\"\nstatistic = \"rate\"\nregion = [0.5, 1]\n");
  text += claim("middle", "quantity = \"end.value\"\nstatistic = \"median\"\nregion = [0, 1]\n");
  const Study study = parse_study(text, "a.toml", {});
  const std::vector<Reach> reach = reach_of_claims(study, expand_cells(study));
  ASSERT_EQ(reach.size(), 3u);
  EXPECT_EQ(reach[0].text(), "few: no outcome of 16 runs would support it");
  EXPECT_EQ(reach[1].text(), "");
  EXPECT_EQ(reach[2].text(), "");
  StudyOptions options;
  options.seeds = 5;
  const Study small = parse_study(text, "a.toml", options);
  EXPECT_EQ(reach_of_claims(small, expand_cells(small))[2].text(), "middle: no outcome of 5 runs would decide it");
}

TEST(Power, SaysOfEveryClaimWhatItCouldComeToAtBest) {
  std::string text = kText.substr(0, kText.find("[[claim]]"));
  text.replace(text.find("until"), text.find("[[phenomenon]]") - text.find("until"), "\n");
  text += "[[phenomenon]]\nname = \"low\"\ndetector = \"emergence\"\nseries = \"loss\"\n";
  const std::string grid = "training.rate = [0.01, 0.02]";
  text.replace(text.find(grid), grid.size(), "training.rate = [0.01, 0.02, 0.03]");
  text += "[[fit]]\nname = \"law\"\nquantity = \"end.value\"\nterms = { rate = \"training.rate\" }\n";
  const auto claim = [](const std::string& id, const std::string& statistic, const std::string& lines) {
    return "[[claim]]\nid = \"" + id + "\"\nstatement = \"x\"\nstatistic = \"" + statistic + "\"\n" + lines;
  };
  const std::string groups = "where = { training.rate = 0.01 }\nagainst = { training.rate = 0.02 }\n";
  text += claim("few", "rate", "quantity = \"low.emerged\"\nregion = [0, 0.1]\n");
  text += claim("more", "rate", "quantity = \"low.emerged\"\nabove = 0\n" + groups);
  text += claim("much-more", "rate", "quantity = \"low.emerged\"\nregion = [0.99, 1]\n" + groups);
  // Only all of one group against none of the other supports it.
  text += claim("by-most", "rate", "quantity = \"low.emerged\"\nregion = [0.6, 1]\n" + groups);
  text += claim("mean", "mean", "quantity = \"end.value\"\nregion = [0, 1]\n");
  text += claim("larger", "median", "quantity = \"end.value\"\ncompare = \"ratio\"\nabove = 1\n" + groups);
  text += claim("over-cells", "median", "quantity = \"end.value\"\npool = \"cells\"\nabove = 1\n");
  text += claim("law", "fit", "quantity = \"law.exponent.rate\"\nabove = 1\n");
  const Study study = parse_study(text, "a.toml", {});
  EXPECT_EQ(reach_lines(reach_of_claims(study, expand_cells(study))),
            (std::vector<std::string>{
                "can be supported or refuted: more, by-most, mean, larger",
                "can be refuted at best, not supported: few, much-more", "inconclusive at best: over-cells",
                "not said of fits, correlations and coincidences, which depends on the runs: law"}));
}

// The cells of a fit that another is compared with are the claim's as well.
TEST_F(Decide, ACellOfTheOtherFitGetsSeedsToo) {
  std::string text = kText.substr(0, kText.find("[[claim]]"));
  const std::string grid = "training.rate = [0.01, 0.02]";
  text.replace(text.find(grid), grid.size(), "training.rate = [0.01, 0.02]\ndata.vocab = [4, 5, 6]");
  for (const std::string rate : {"0.01", "0.02"})
    text += "[[fit]]\nname = \"law" + rate.substr(2) +
            "\"\nquantity = \"end.value\"\nterms = { size = \"data.vocab\" }\n" + "where = { training.rate = " + rate +
            " }\n";
  text +=
      "[[claim]]\nid = \"apart\"\nstatement = \"x\"\nquantity = \"law01.exponent.size\"\nwith = "
      "\"law02.exponent.size\"\n"
      "statistic = \"fit\"\nabove = 0\n";
  const Study study = parse_study(text, "a.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  const Trained trained = train(study, store);
  ASSERT_TRUE(trained.decided.result);
  ASSERT_EQ(trained.decided.result->claims[0].verdict.kind, VerdictKind::inconclusive);
  for (size_t cell = 0; cell < 6; ++cell) EXPECT_EQ(runs_of_cell(trained.decided, cell), 64) << cell;
}

// Three measurements are too few for a plateau to be there or not.
TEST_F(Decide, AConditionThatNoRunTellsOfIsSaidWithItsPlace) {
  std::string text = kText;
  text.replace(text.find("[[claim]]"), 0, "[[phenomenon]]\ndetector = \"plateau\"\nseries = \"loss\"\n");
  const std::string median = "statistic = \"median\"\nwhere = { training.rate = 0.02 }\n";
  text.insert(text.find(median), "given = \"plateau.present\"\n");
  const Study study = parse_study(text, "mine.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  const Verdict verdict = train(study, store).decided.result->claims[1].verdict;
  EXPECT_EQ(verdict.note.find("mine.toml:"), 0u) << verdict.note;
  EXPECT_NE(verdict.note.find("no run says whether it meets given = \"plateau.present\""), std::string::npos)
      << verdict.note;
}

TEST_F(Decide, AConditionThatNoRunMeetsIsSaidWithItsPlace) {
  std::string text = kText;
  text.replace(text.find("[[claim]]"), 0,
               "[[phenomenon]]\nname = \"low\"\ndetector = \"emergence\"\nseries = \"loss\"\n"
               "direction = \"below\"\nthreshold = 0.1\n");
  const std::string median = "statistic = \"median\"\nwhere = { training.rate = 0.02 }\n";
  const size_t at = text.find(median);
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "given = \"low.emerged\"\n");
  const Study study = parse_study(text, "mine.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  const Verdict verdict = train(study, store).decided.result->claims[1].verdict;
  const std::string before = text.substr(0, text.find("id = \"coin\"") - 1);  // up to the end of its [[claim]]
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  EXPECT_EQ(verdict.note,
            "mine.toml:" + std::to_string(line) +
                ": no run meets given = \"low.emerged\"; ask for what some runs show, leave `given` out, or "
                "ask for the rate of low.emerged itself");
  EXPECT_EQ(verdict.outside, 64);
}

TEST_F(Decide, ALookSaysHowLongItsOpenClaimsWouldTake) {
  const Study study = parse_study(kText, "a.toml", {});
  Store store(path("a.db"), Store::Mode::write);
  DecideOptions options;
  options.sweep.train = pretend;
  options.on_look = [&](const Look& look) {
    EXPECT_EQ(look.seconds.size(), look.open.size());
    for (size_t i = 0; i < look.open.size(); ++i) {
      const std::optional<double>& needed = look.open[i]->verdict.needed;
      EXPECT_EQ(look.seconds[i].has_value(), needed && std::isfinite(*needed))
          << "runs were trained, so the pace is known";
    }
  };
  train_until_decided(study, expand_cells(study), store, options);
}

TEST(Families, CountWhatStands) {
  std::vector<StudyResult> results(2);
  for (int i = 0; i < 10; ++i) {
    ClaimResult one;
    one.claim.source = i < 5 ? "a" : "b";
    one.verdict.kind = VerdictKind::supported;
    one.verdict.error = i < 5 ? 1e-4 : 0.02;  // 0.02 does not survive a family of five
    results[static_cast<size_t>(i % 2)].claims.push_back(one);
  }
  adjust_sources(results);
  std::vector<ClaimResult> all;
  for (const StudyResult& one : results) all.insert(all.end(), one.claims.begin(), one.claims.end());
  EXPECT_EQ(family_counts(all).decided, 10);
  EXPECT_EQ(family_counts(all).standing, 5);
  EXPECT_TRUE(family_text(all).starts_with("Of 10 decisions 5 stand"));
}

}  // namespace
}  // namespace atto::decide_test
