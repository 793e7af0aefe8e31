// Experiments that choose their next runs, over runs whose outcome is made up: the share that shows it is known.
#include "lab/explore/explore.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "lab/explore/effort_figure.h"
#include "lab/store/store_samples.h"

namespace atto::explore_test {
namespace {

using Mode = Store::Mode;

constexpr const char* kStudy = R"(title = "A made-up contour"
[data]
vocab = 4
[training]
batch = 4
steps = 100
[sweep.grid]
network.width = [1, 2, 3, 4, 5, 6, 7, 8, 9]
data.context = [2, 3, 4, 5, 6, 7, 8, 9, 10]
[seeds]
count = 1
[[observe]]
what = ["loss"]
at = [0, 100]
[[phenomenon]]
detector = "value"
name = "final"
series = "loss"
[[phenomenon]]
detector = "emergence"
name = "fallen"
series = "loss"
threshold = 1.0
hold = 1
)";

// The share of runs whose loss falls: a slope over the plane, 0.5 on a diagonal.
double share_at(const RunConfig& config) {
  const double x = static_cast<double>(config.network.width), y = static_cast<double>(config.data.context);
  return 1 / (1 + std::exp(1.5 * (x - y + 0.5)));
}

class ExploreTest : public StoreFolder {
 protected:
  ExploreTest() {
    study_ = parse_study(kStudy, path("made-up.toml"), {});
    cells_ = expand_cells(study_);
    options_.sweep.threads = 2;
    options_.sweep.checkpoint_every = 0;
    options_.sweep.train = [](const RunSpec& spec, const SeriesPlan&, const StepCallback&, std::optional<Checkpoint>) {
      const RunConfig& config = spec.config();
      // A number in [0, 1) that only the cell and the seed decide.
      const auto mixed = static_cast<uint64_t>(config.seeds.init * 1'000'003 + config.network.width * 7919 +
                                               config.data.context * 104'729) *
                         0x9E3779B97F4A7C15ull;
      const double chance = static_cast<double>((mixed ^ mixed >> 29) >> 11) * 0x1p-53;
      RecordResult result;
      result.finished = true;
      result.recording.steps_done = 100;
      const double width = static_cast<double>(config.network.width);
      result.recording.series.push_back(
          {"loss", {}, {0, 100}, {2.0, chance < share_at(config) ? 0.2 + 0.05 * width + 0.2 * chance : 1.5}});
      return result;
    };
  }
  Exploration contour(Store& store, double tolerance = 0.1) {
    const auto rule = level_rule(study_, cells_, "fallen.emerged", 0.5, tolerance, 8);
    return explore(study_, cells_, store, *rule, options_);
  }
  static std::set<std::string> ids(const Exploration& found) {
    std::set<std::string> all;
    for (const atto::Run& run : found.runs) all.insert(run.id);
    return all;
  }

  Study study_;
  std::vector<Cell> cells_;
  ExploreOptions options_;
};

TEST_F(ExploreTest, FindsTheSideOfEveryCellWithFewRuns) {
  Store store(path(), Mode::write);
  const Exploration found = contour(store);
  ASSERT_TRUE(found.result);
  EXPECT_EQ(found.end, ExploreEnd::decided);
  int64_t inferred = 0, most = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const ExploredCell& one = found.cells[i];
    const double share = share_at(cells_[i].config);
    EXPECT_NE(one.standing, "open");
    if (one.standing == "above") EXPECT_GT(share, 0.4) << cell_text(cells_[i].overrides);
    else EXPECT_LT(share, 0.6) << cell_text(cells_[i].overrides);
    inferred += one.inferred ? 1 : 0;
    most = std::max(most, one.runs);
  }
  EXPECT_GT(inferred, 10) << "far from the contour a coarse grid is enough";
  EXPECT_LT(std::ssize(found.runs), most * std::ssize(cells_) / 4) << "against every cell with as many as one needed";
}

TEST_F(ExploreTest, TheSameRunsHoweverOftenItIsStopped) {
  Store whole(path("whole.atto"), Mode::write);
  const Exploration once = contour(whole);
  Store store(path(), Mode::write);
  std::atomic<bool> stop = false;
  options_.sweep.stop = &stop;
  options_.sweep.threads = 1;
  options_.on_round = [&](int round, int64_t, int64_t) { stop = round >= 3; };
  EXPECT_FALSE(contour(store).result);
  stop = false;
  options_.on_round = {};
  const Exploration again = contour(store);
  EXPECT_EQ(ids(again), ids(once));
  EXPECT_EQ(again.rounds, once.rounds);
  EXPECT_GT(again.progress.cached, 0);
}

TEST_F(ExploreTest, WhatTheStoreHoldsBesideChangesNothing) {
  Store fresh(path("fresh.atto"), Mode::write), filled(path(), Mode::write);
  std::vector<Cell> more = cells_;
  for (Cell& cell : more) cell.seeds = 30;
  run_all(study_, expand_runs(study_, more), filled, options_.sweep);
  EXPECT_EQ(ids(contour(filled)), ids(contour(fresh)));
}

TEST_F(ExploreTest, KeepsWithinItsBudget) {
  Store store(path(), Mode::write);
  options_.budget.runs = 300;
  Exploration found = contour(store);
  EXPECT_EQ(found.end, ExploreEnd::budget);
  EXPECT_EQ(found.runs.size(), 300u);
  options_.budget = {std::nullopt, 20'050};  // of 100 steps each
  found = contour(store);
  EXPECT_EQ(found.steps, 20'000);
  options_.budget = {};
  options_.most = 20;
  found = contour(store);
  EXPECT_EQ(found.end, ExploreEnd::most_runs);
  for (const ExploredCell& one : found.cells) EXPECT_LE(one.runs, 20);
}

TEST_F(ExploreTest, ACellIsInferredOnlyFromCellsThatAgree) {
  Store store(path(), Mode::write);
  options_.budget.runs = 10;
  const Exploration begun = contour(store);
  int64_t without = 0;
  for (const ExploredCell& one : begun.cells) {
    without += one.runs == 0 ? 1 : 0;
    EXPECT_FALSE(one.inferred) << "its neighbours are open too";
  }
  EXPECT_GT(without, 0);
  options_.budget = {};
  int64_t inferred = 0;
  for (const ExploredCell& one : contour(store).cells) {
    inferred += one.inferred ? 1 : 0;
    EXPECT_FALSE(one.inferred && one.standing == "open");
  }
  EXPECT_GT(inferred, 0);
}

TEST_F(ExploreTest, FindsTheCellWithTheLeastMedian) {
  study_.sweep.grid = {{"network.width", {Value(int64_t{1}), Value(int64_t{2}), Value(int64_t{5}), Value(int64_t{9})}}};
  study_.base.data.context = 12;  // all of them fall
  cells_ = expand_cells(study_);
  Store store(path(), Mode::write);
  const auto least = optimum_rule(study_, "final.value", false, 16);
  const Exploration found = explore(study_, cells_, store, *least, options_);
  EXPECT_EQ(found.end, ExploreEnd::decided);
  EXPECT_EQ(found.cells[0].standing, "best");
  EXPECT_EQ(found.cells[3].standing, "worse");
  EXPECT_LE(found.cells[0].low, found.cells[0].estimate);
  EXPECT_GE(found.cells[0].high, found.cells[0].estimate);
  const auto largest = optimum_rule(study_, "final.value", true, 16);
  const Exploration other = explore(study_, cells_, store, *largest, options_);
  EXPECT_EQ(other.cells[3].standing, "best");
  EXPECT_LE(other.cells[3].low, other.cells[3].estimate);
}

TEST_F(ExploreTest, AddsPointsBetweenThoseOfTheGridWhereTheContourPasses) {
  std::string coarse = kStudy;
  const auto replace = [&](const std::string& from, const std::string& to) {
    coarse.replace(coarse.find(from), from.size(), to);
  };
  replace("[1, 2, 3, 4, 5, 6, 7, 8, 9]", "[1, 5, 9]");
  replace("[2, 3, 4, 5, 6, 7, 8, 9, 10]", "[2, 6, 10]");
  const Study own = parse_study(coarse, path("made-up.toml"), {});
  StudyOptions refined;
  refined.refine = 2;
  study_ = parse_study(coarse, path("made-up.toml"), refined);
  cells_ = expand_cells(study_);
  Store store(path(), Mode::write);
  const Exploration found = contour(store);
  EXPECT_EQ(found.end, ExploreEnd::decided);
  int64_t added = 0, far = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const RunConfig& config = cells_[i].config;
    const bool of_study = config.network.width % 4 == 1 && config.data.context % 4 == 2;
    if (of_study || found.cells[i].runs == 0) continue;
    ++added;
    // The contour is a diagonal, width = context - 0.5. Squares of the study's grid through which it passes end here.
    far += std::abs(static_cast<double>(config.network.width - config.data.context) + 0.5) > 4.5 ? 1 : 0;
  }
  EXPECT_GT(added, 4);
  EXPECT_EQ(far, 0);
  EXPECT_LT(added, std::ssize(cells_) - 9) << "not everywhere";
  ASSERT_FALSE(found.crossings.empty());
  int64_t narrow = 0;
  for (const auto& [from, to] : found.crossings) {
    const double a = share_at(cells_[from].config), b = share_at(cells_[to].config);
    EXPECT_TRUE(a > 0.4 && b < 0.6) << a << " " << b;
    EXPECT_EQ(found.cells[from].standing + found.cells[to].standing, "abovebelow");
    const int64_t apart = std::abs(cells_[from].config.network.width - cells_[to].config.network.width) +
                          std::abs(cells_[from].config.data.context - cells_[to].config.data.context);
    narrow += apart < 4 ? 1 : 0;
  }
  EXPECT_GT(narrow, 0) << "nearer than the study's own grid can tell";
  const Json spec = effort_figure(study_, cells_, found, "fallen.emerged");
  EXPECT_LT(spec.at("data").at("values").size(), cells_.size());
}

TEST_F(ExploreTest, AnybodyMayTrainItsRounds) {
  Store alone(path("alone.atto"), Mode::write), store(path(), Mode::write);
  const Exploration expected = contour(alone);
  int64_t rounds = 0;
  options_.train = [&](const Study& study, const std::vector<atto::Run>& runs, Store& into, const SweepOptions& sweep) {
    Store elsewhere(path("elsewhere" + std::to_string(++rounds)), Mode::write);
    std::vector<atto::Run> missing;
    for (const atto::Run& run : runs)
      if (!into.has(run.id)) missing.push_back(run);
    SweepResult result = run_all(study, missing, elsewhere, sweep);
    into.merge(elsewhere);
    return result;
  };
  const Exploration found = contour(store);
  EXPECT_EQ(ids(found), ids(expected));
  EXPECT_EQ(found.rounds, rounds);
  EXPECT_EQ(store.content_digest(), alone.content_digest());
}

TEST_F(ExploreTest, RefusesWhatHasNoContour) {
  EXPECT_THROW(level_rule(study_, cells_, "fallen.emergd", 0.5, 0.1, 8), Error);
  EXPECT_THROW(level_rule(study_, cells_, "", 0.5, 0.1, 8), Error);
  EXPECT_THROW(level_rule(study_, cells_, "fallen.emerged", 1, 0.1, 8), Error);
  Store store(path(), Mode::write);
  const auto number = level_rule(study_, cells_, "final.value", 0.5, 0.1, 8);
  EXPECT_THROW(explore(study_, cells_, store, *number, options_), Error) << "a number is no share";
  const auto remedy = [&] {
    try {
      level_rule(study_, expand_cells(study_), "fallen.emerged", 0.5, 0.1, 8);
    } catch (const Error& error) {
      return error.what() + std::string(" → ") + error.remedy();
    }
    return std::string();
  };
  EXPECT_EQ(remedy(), "");
  study_.sweep.grid.push_back({"training.batch", {Value(int64_t{4}), Value(int64_t{8})}});
  EXPECT_NE(remedy().find("the study has 3 → fix the other axes with --set"), std::string::npos) << remedy();
  study_.sweep.grid.resize(1);
  EXPECT_NE(remedy().find("the study has only one → add an axis"), std::string::npos) << remedy();
  study_.sweep.grid.push_back({"training.batch", {Value(int64_t{4})}});
  EXPECT_NE(remedy().find("training.batch has no two numbers → "), std::string::npos) << remedy();
  study_.sweep.grid.pop_back();
  study_.sweep.zips = {{{"training.batch", {Value(int64_t{4}), Value(int64_t{8})}}}};
  EXPECT_NE(remedy().find("without zips and cells"), std::string::npos) << remedy();
}

TEST_F(ExploreTest, TheFigureShowsWhereTheRunsWent) {
  Store store(path(), Mode::write);
  options_.budget.runs = 200;
  const Exploration found = contour(store);
  const Json spec = effort_figure(study_, cells_, found, "fallen.emerged");
  int64_t runs = 0;
  for (const Json& row : spec.at("data").at("values")) {
    runs += row.at("runs").get<int64_t>();
    EXPECT_EQ(row.at("label") == "", row.at("runs") == 0) << "what was not trained has no number";
  }
  EXPECT_EQ(runs, 200);
  EXPECT_EQ(spec.at("layer").size(), 2u);
}

}  // namespace
}  // namespace atto::explore_test
