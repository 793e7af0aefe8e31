// From stored runs to cells, samples, verdicts and JSON.
#include "lab/results/results.h"
#include "lab/results/families.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lab/results/format_text.h"
#include "lab/results/results_json.h"
#include "lab/store/store_samples.h"
#include "lab/sweep/forecast.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's
using Runs = std::vector<TrainRun>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Finds in a run what its `clue` says: nothing below 0, something beyond the end of the run from 100 on.
class ClueDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {SeriesNeed::scalar("clue"), SeriesNeed::vector("map", "entries")}; }
  std::vector<QuantityHelp> quantities() const override {
    return {{"present", "1 if there is something", true}, {"size", "how much"}};
  }
  Finding detect(const Recording& recording, const RunConfig&) const override {
    EXPECT_NE(recording.find("map"), nullptr);
    EXPECT_EQ(recording.find("unused.map"), nullptr) << "loaded without need";
    EXPECT_TRUE(recording.weights.empty());
    const double clue = recording.find("clue")->values.at(0);
    if (clue < 0) return {{"size", {}}, {"present", 0}};
    return {{"size", clue, clue >= 100}, {"present", 1}};
  }
};

class ResultsTest : public StoreFolder {
 protected:
  // One cell per vocabulary, one run per clue; a run with a NaN clue diverged.
  void add_cell(int64_t vocab, const std::vector<double>& clues, double rate = 0.5) {
    Cell cell{{{"data.vocab", vocab}}, {}, std::ssize(clues)};
    cell.config.data.vocab = vocab;
    cell.config.training.rate = rate;
    for (const double clue : clues) {
      const bool diverged = std::isnan(clue);
      TrainRun run{cells_.size(), std::ssize(runs_), cell.config, "run" + std::to_string(runs_.size())};
      Recording recording;
      recording.steps_done = 10;
      if (diverged) recording.diverged_at = 7;
      recording.best_loss = 0.5;
      recording.series = {{"clue", {}, {0, 10}, {diverged ? -1 : clue, 2 * clue}},
                          {"map", {2}, {0}, {1, 2}},
                          {"unused.map", {2}, {0}, {1, 2}}};
      recording.weights = {{"W_E", 1, 1, {1}}};
      store_.save({{run.id, "{}", 1, 1, recording, 0.1}});
      runs_.push_back(run);
    }
    cells_.push_back(cell);
  }
  Claim& claim(Statistic statistic, const std::string& quantity, CellFilter where) {
    Claim& one = study_.claims.emplace_back();
    one.id = "C" + std::to_string(study_.claims.size());
    one.quantity = quantity;
    one.statistic = statistic;
    one.where = std::move(where);
    one.low = -kInfinity;
    one.high = kInfinity;
    return one;
  }
  StudyResult results() { return collect(study_, cells_, runs_, store_); }

  ResultsTest() : store_(path(), Store::Mode::write) {
    study_.name = "clues";
    study_.phenomena = {{"thing", std::make_shared<ClueDetector>(), "clue"}};
  }
  Store store_;
  Study study_;
  std::vector<Cell> cells_;
  Runs runs_;
};

TEST_F(ResultsTest, SummarizesEachCell) {
  add_cell(4, {1, 2, 3, 4, 5});
  add_cell(10, {-1, 200, std::nan("")});
  const StudyResult result = results();
  ASSERT_EQ(result.cells.size(), 2u);
  const CellResult& first = result.cells[0];
  EXPECT_EQ(first.seeds, 5);
  EXPECT_EQ(first.diverged, 0);
  EXPECT_EQ(first.best_loss, 0.5);
  EXPECT_EQ(first.runs.front().id, "run0");
  ASSERT_EQ(first.observables.size(), 1u);
  EXPECT_EQ(first.observables[0].address, "clue");
  EXPECT_EQ(first.observables[0].finals, (Outcomes{{2}, {4}, {6}, {8}, {10}}));
  EXPECT_EQ(first.observables[0].median, 6);
  EXPECT_EQ(first.observables[0].q25, 4);
  EXPECT_EQ(first.observables[0].q75, 8);
  EXPECT_EQ(first.observables[0].first, 3) << "the median of what they began with";
  EXPECT_DOUBLE_EQ(first.observables[0].q95, 9.6);
  EXPECT_EQ(find_observable(first, "clue"), first.observables.data());
  EXPECT_EQ(find_observable(first, "clu"), nullptr);
  ASSERT_EQ(first.quantities.size(), 2u);
  EXPECT_EQ(first.quantities[0].name, "thing.present");
  EXPECT_EQ(first.quantities[0].fraction, 1.0);
  EXPECT_EQ(first.quantities[1].outcomes[2], Outcome{3});
  EXPECT_FALSE(first.quantities[1].fraction);
  EXPECT_EQ(quantity_text(first.quantities[1]), "3 [2, 4]") << "median and quartiles of 1, 2, 3, 4, 5";

  const CellResult& second = result.cells[1];
  EXPECT_EQ(second.diverged, 1);
  EXPECT_EQ(second.observables[0].finals[2], (Outcome{std::nullopt, false, true}));
  EXPECT_EQ(second.observables[0].median, 199);  // of -2 and 400
  EXPECT_EQ(second.quantities[1].outcomes, (Outcomes{{std::nullopt}, {200, true}, {std::nullopt, false, true}}));
  EXPECT_EQ(outcomes_of(second, "thing.size"), second.quantities[1].outcomes);
  EXPECT_EQ(outcomes_of(second, "clue"), second.observables[0].finals);
  EXPECT_TRUE(outcomes_of(second, "thing").empty());
  EXPECT_DOUBLE_EQ(second.quantities[0].fraction.value(), 1.0 / 3);
}

TEST_F(ResultsTest, CellsWithoutRunsAreEmptyAndMissingRunsAnError) {
  add_cell(4, {1, 2});
  add_cell(10, {});
  EXPECT_EQ(results().cells[1].seeds, 0);
  EXPECT_TRUE(results().cells[1].observables.empty());
  runs_[1].id = "gone";
  EXPECT_EQ(error_of([&] { results(); }).kind(), ErrorKind::missing);
}

TEST_F(ResultsTest, ClaimsSpeakOfTheCellsTheyName) {
  add_cell(4, std::vector<double>(20, 8.0));
  add_cell(10, std::vector<double>(20, 30.0));
  add_cell(20, {-1, 200, std::nan(""), 7, 7, 7, 7, 7});
  Claim& only = claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{4}}});
  only.low = 7;
  only.high = 9;
  Claim& relative = claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{10}}});
  relative.relative_to = "data.vocab";
  relative.low = 5;
  Claim& against = claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{10}}});
  against.against = CellFilter{{"data.vocab", int64_t{4}}};
  against.compare = Comparison::ratio;
  claim(Statistic::rate, "thing.present", {});
  claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{20}}});

  const auto claims = results().claims;
  ASSERT_EQ(claims.size(), 5u);
  EXPECT_EQ(claims[0].study, "clues");
  EXPECT_EQ(claims[0].verdict.kind, VerdictKind::supported);
  EXPECT_EQ(claims[0].verdict.estimate, 8);
  EXPECT_EQ(claims[0].verdict.seeds, 20);
  EXPECT_EQ(claims[1].verdict.estimate, 3);  // 30 / 10
  EXPECT_EQ(claims[1].verdict.kind, VerdictKind::refuted);
  EXPECT_EQ(claims[2].verdict.estimate, 30.0 / 8);
  EXPECT_EQ(claims[3].verdict.seeds, 48);  // in every cell: the least favourable one is shown
  EXPECT_EQ(claims[3].verdict.cells, std::ssize(cells_));
  EXPECT_NE(claims[3].verdict.note.find("in every one of"), std::string::npos);
  EXPECT_EQ(claims[4].verdict.censored, 1);
  EXPECT_EQ(claims[4].verdict.diverged, 1);
  EXPECT_EQ(claims[4].verdict.missing, 1);
}

// One seed in three chooses the rate, the others judge it: choosing and judging on the same seeds would flatter it.
TEST_F(ResultsTest, TunedClaimsAreJudgedOnOtherSeeds) {
  const auto clues = [](double choosing, double judging) {
    std::vector<double> all(12, judging);
    std::fill_n(all.begin(), 4, choosing);
    return all;
  };
  add_cell(4, clues(2, 5), 0.25);
  add_cell(4, clues(1, 10), 0.5);
  add_cell(4, std::vector<double>(12, std::nan("")), 1.0);  // diverges
  claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{4}}}).tune = "training.rate";
  const ClaimResult tuned = results().claims.at(0);
  EXPECT_EQ(tuned.tuned, "training.rate = 0.5");
  EXPECT_EQ(tuned.tuned_against, "");
  EXPECT_EQ(tuned.verdict.estimate, 10);
  EXPECT_EQ(tuned.verdict.seeds, 8);
}

// Waits for something that comes from clue 100 on too late for the run.
class WaitDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {SeriesNeed::scalar("clue")}; }
  std::vector<QuantityHelp> quantities() const override { return {{"came", "1 if it came within the run", true}}; }
  Finding detect(const Recording& recording, const RunConfig&) const override {
    const bool late = recording.find("clue")->values.at(0) >= 100;
    return {{"came", late ? 0.0 : 1.0, late}};
  }
};

// "When it comes, it comes at ...": runs that ended without it are counted and leave the times alone.
TEST_F(ResultsTest, AConditionThatRunsEndWithoutLeavesThemOut) {
  study_.phenomena.push_back({"wait", std::make_shared<WaitDetector>(), "clue"});
  add_cell(4, {1, 2, 3, 4, 5, 6, 7, 200, 300, 400});
  Claim& times = claim(Statistic::median, "thing.size", {});
  times.given = "wait.came";
  times.high = 50;
  const Verdict verdict = results().claims.at(0).verdict;
  EXPECT_EQ(verdict.estimate, 4);
  EXPECT_EQ(verdict.seeds, 7);
  EXPECT_EQ(verdict.outside, 3);
  EXPECT_EQ(verdict.missing, 0);
  EXPECT_EQ(verdict.censored, 0);
  EXPECT_EQ(verdict.kind, VerdictKind::supported);
}

// A quantity over another of the same run; one that is missing or cut off leaves the ratio open, and the run is kept.
TEST_F(ResultsTest, DividesByAnotherQuantity) {
  add_cell(4, {2, 4, 8, 16, 32, 64, 200, -1});
  claim(Statistic::median, "thing.size", {}).relative_to = "thing.size";
  const ClaimResult ratio = results().claims.at(0);
  EXPECT_EQ(ratio.verdict.estimate, 1);
  EXPECT_EQ(ratio.verdict.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ratio.verdict.seeds, 8);
  EXPECT_EQ(ratio.verdict.censored, 1);
  EXPECT_EQ(ratio.verdict.missing, 1);
}

TEST_F(ResultsTest, RefusesToDivideByWhatIsNoNumber) {
  add_cell(4, {1, 2, 3});
  for (const char* key : {"data.task", "data.offset"}) {  // a word, and 0
    study_.claims.clear();
    claim(Statistic::median, "thing.size", {}).relative_to = key;
    EXPECT_EQ(error_of([&] { results(); }).kind(), ErrorKind::config);
  }
}

TEST_F(ResultsTest, JsonOfCells) {
  add_cell(4, {1, 2});
  add_cell(10, {-1, 200, std::nan("")});
  const Json json = cells_json(results());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["overrides"], (Json{{"data.vocab", 4}}));
  EXPECT_EQ(json[0]["seeds"], 2);
  EXPECT_EQ(json[0]["best_loss"], 0.5);
  EXPECT_EQ(json[0]["run_ids"], (Json{"run0", "run1"}));
  EXPECT_EQ(json[0]["observables"]["clue"]["final"], (Json{2.0, 4.0}));
  EXPECT_EQ(json[0]["observables"]["clue"]["median"], 3.0);
  EXPECT_EQ(json[1]["diverged"], 1);
  EXPECT_TRUE(json[1]["observables"]["clue"]["final"][2].is_null());
  EXPECT_TRUE(json[1]["phenomena"]["thing"]["size"]["per_seed"][0].is_null());
  EXPECT_EQ(json[1]["phenomena"]["thing"]["size"]["censored"], (Json{false, true, false}));
  EXPECT_TRUE(json[1]["phenomena"]["thing"]["present"].contains("fraction"));
  EXPECT_FALSE(json[0]["phenomena"]["thing"]["size"].contains("fraction"));
}

TEST_F(ResultsTest, JsonOfVerdicts) {
  add_cell(4, {200, 200, 200, 200, 200, 200, 200, 200});
  Claim& one = claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{4}}});
  one.source = "a post";
  one.statement = "it is \"big\" \xff";  // not UTF-8
  one.published = "50";
  one.low = 3;
  const Json json = verdicts_json(results());
  ASSERT_EQ(json.size(), 1u);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json[0].items()) keys.push_back(key);
  std::vector<std::string> expected = {
      "claim",    "study",       "source",       "statement",   "published",     "quantity",    "statistic",
      "where",    "verdict",     "estimate",     "low",         "high",          "region",      "seeds",
      "missing",  "censored",    "diverged",     "tuned",       "tuned_against", "note",        "fit",
      "adjusted", "anytime_low", "anytime_high", "cells",       "error",         "looks",       "outside",
      "paired",   "reason",      "recipes",      "headline",    "answer",        "at",          "calibrated",
      "origin",   "scope",       "rests_on",     "publication", "calibration",   "reason_text", "same_number_as"};
  std::sort(keys.begin(), keys.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(json[0]["claim"], "C1");
  EXPECT_EQ(json[0]["study"], "clues");
  EXPECT_EQ(json[0]["statistic"], "median");
  EXPECT_EQ(json[0]["where"], (Json{{"data.vocab", 4}}));
  EXPECT_EQ(json[0]["region"], (Json{3.0, "inf"}));
  EXPECT_EQ(json[0]["estimate"], "inf");  // every run is censored
  EXPECT_EQ(json[0]["censored"], 8);
  EXPECT_NE(json_text(json).find("it is \\\"big\\\" \xEF\xBF\xBD"), std::string::npos);  // U+FFFD
}

// One number judged by two regions is marked; both claims count.
TEST_F(ResultsTest, MarksClaimsAboutTheSameNumber) {
  add_cell(4, {1, 2, 3, 4, 5, 6, 7, 8});
  add_cell(10, {1, 2, 3, 4, 5, 6, 7, 8});
  claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{4}}}).low = 1;
  claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{10}}}).low = 1;
  claim(Statistic::median, "thing.size", {{"data.vocab", int64_t{4}}}).high = 3;
  study_.claims[0].id = "first";
  const StudyResult result = results();
  EXPECT_EQ(result.claims[0].same_number_as, "");
  EXPECT_EQ(result.claims[1].same_number_as, "") << "another cell";
  EXPECT_EQ(result.claims[2].same_number_as, "first");
  EXPECT_NE(result.claims[2].verdict.note.find("the same number as first"), std::string::npos);
  EXPECT_EQ(verdicts_json(result)[2]["same_number_as"], "first");
  EXPECT_TRUE(verdicts_json(result)[0]["same_number_as"].is_null());
  EXPECT_TRUE(family_text(result.claims).ends_with("The 3 claims judge 2 different numbers."));
}

// Two quantities of the same runs: cell by cell, and with their names in the JSON.
TEST_F(ResultsTest, JudgesClaimsAboutPairs) {
  add_cell(4, {1, 2, 3, 4, 5, 6, 7, 8});
  add_cell(10, {80, 70, 60, 50, 40, 30, 20, -1});
  Claim& correlation = claim(Statistic::correlation, "thing.size", {});
  correlation.with = "clue";
  correlation.low = 0.5;
  Claim& coincidence = claim(Statistic::coincidence, "thing.size", {{"data.vocab", int64_t{4}}});
  coincidence.with = "clue";  // twice as late in every run
  coincidence.within = 0.9;
  coincidence.low = 0.1;
  const StudyResult result = results();
  const Verdict& together = result.claims[0].verdict;
  EXPECT_EQ(together.kind, VerdictKind::inconclusive) << "the run without the quantity could be anything";
  EXPECT_EQ(together.estimate, 1.0);
  EXPECT_EQ(together.seeds, 16);
  EXPECT_EQ(together.missing, 1);
  EXPECT_EQ(result.claims[1].verdict.seeds, 8);
  EXPECT_TRUE(result.claims[1].verdict.note.starts_with("the two coincide in 0 of 8 runs"));
  EXPECT_TRUE(caveats_text(study_.claims[0], together).ends_with("1 without the quantity"));

  const Json json = verdicts_json(result);
  EXPECT_EQ(json[0]["statistic"], "correlation");
  EXPECT_EQ(json[0]["with"], "clue");
  EXPECT_FALSE(json[0].contains("within"));
  EXPECT_EQ(json[1]["within"], 0.9);

  claim(Statistic::correlation, "thing.size", {}).with = "nothing";
  EXPECT_THROW(results(), Error);
}

// A measurement that happens to be 0 or 1 in every seed is no count of seeds.
TEST_F(ResultsTest, OnlyYesOrNoQuantitiesAreCounted) {
  add_cell(4, {0, 1, 1});
  const CellResult cell = results().cells[0];
  EXPECT_EQ(find_quantity(cell, "thing.present")->fraction, 1.0);
  const QuantitySummary& size = *find_quantity(cell, "thing.size");
  EXPECT_FALSE(size.fraction);
  EXPECT_EQ(quantity_text(size), "1 [0.5, 1]");
}

// Asks to stop once it has seen a run, as Ctrl-C would.
class StoppingDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {}; }
  std::vector<QuantityHelp> quantities() const override { return {{"seen", "1"}}; }
  Finding detect(const Recording&, const RunConfig&) const override {
    ++seen;
    stop = true;
    return {{"seen", 1}};
  }
  mutable int seen = 0;
  mutable std::atomic<bool> stop = false;
};

TEST_F(ResultsTest, StopsBetweenTwoRuns) {
  add_cell(4, {1, 2, 3});
  const auto detector = std::make_shared<StoppingDetector>();
  study_.phenomena = {{"thing", detector, "stopping"}};
  EXPECT_THROW(collect(study_, cells_, runs_, store_, &detector->stop), Stopped);
  EXPECT_EQ(detector->seen, 1);
  EXPECT_EQ(collect(study_, cells_, runs_, store_).cells[0].seeds, 3) << "nobody can stop this one";
}

// Is asked to stop half-way.
class SlowDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {}; }
  std::vector<QuantityHelp> quantities() const override { return {}; }
  Finding detect(const Recording&, const RunConfig&) const override { return {}; }
  Finding detect_polling(const Recording&, const RunConfig&, const Poll& poll) const override {
    poll();
    stop = true;
    poll();
    ++finished;
    return {};
  }
  mutable int finished = 0;
  mutable std::atomic<bool> stop = false;
};

TEST_F(ResultsTest, StopsWithinADetection) {
  add_cell(4, {1});
  const auto detector = std::make_shared<SlowDetector>();
  study_.phenomena = {{"thing", detector, "slow"}};
  EXPECT_THROW(collect(study_, cells_, runs_, store_, &detector->stop), Stopped);
  EXPECT_EQ(detector->finished, 0);
}

class HungryDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {}; }
  std::vector<QuantityHelp> quantities() const override { return {}; }
  size_t bytes(const RunConfig& config) const override {
    return config.data.vocab > 4 ? std::numeric_limits<size_t>::max() : 1000;
  }
  Finding detect(const Recording&, const RunConfig&) const override { return {}; }
};

TEST_F(ResultsTest, RefusesDetectorsThatDoNotFitIntoMemory) {
  study_.phenomena.push_back({"hungry", std::make_shared<HungryDetector>(), "hungry"});
  add_cell(4, {1, 2});
  EXPECT_EQ(results().cells[0].seeds, 2);
  const SweepMemory small = forecast_sweep(study_, runs_, &store_, 1).memory;
  EXPECT_EQ(small.judging, 1000u);
  EXPECT_TRUE(small.fits());
  add_cell(5, {1});
  try {
    results();
    ADD_FAILURE() << "no complaint";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
  }
  const SweepMemory large = forecast_sweep(study_, runs_, &store_, 1).memory;
  EXPECT_FALSE(large.fits());
  EXPECT_THROW(require_memory(large), Error) << "before anything is trained";
}

}  // namespace
}  // namespace atto
