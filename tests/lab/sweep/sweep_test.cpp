// Expansion of a study into cells and runs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto {
namespace {

Sweep::Axis axis(const std::string& key, std::vector<Value> values) { return {key, std::move(values)}; }

Sweep::Axis distinct_axis(const std::string& key, int64_t lowest, size_t most) {
  const size_t size = *rc::gen::inRange<size_t>(1, most + 1);
  const auto numbers = *rc::gen::unique<std::vector<int64_t>>(size, rc::gen::inRange<int64_t>(lowest, lowest + 50));
  return {key, {numbers.begin(), numbers.end()}};
}

TEST(Sweep, TheLastAxisAdvancesFastest) {
  Study study;
  study.sweep.grid = {axis("data.vocab", {int64_t{4}, int64_t{10}}), axis("network.width", {int64_t{2}, int64_t{3}})};
  std::vector<std::string> texts;
  for (const Cell& cell : expand_cells(study)) texts.push_back(cell_text(cell.overrides));
  EXPECT_EQ(texts, (std::vector<std::string>{"data.vocab=4, network.width=2", "data.vocab=4, network.width=3",
                                             "data.vocab=10, network.width=2", "data.vocab=10, network.width=3"}));
}

TEST(Sweep, OverridesReachTheConfiguration) {
  Study study;
  study.sweep.zips = {
      {axis("training.optimizer", {std::string("sgd"), std::string("adam")}), axis("training.rate", {0.5, 0.1})}};
  const std::vector<Cell> cells = expand_cells(study);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].config.training.optimizer, "sgd");
  EXPECT_EQ(cells[0].config.training.rate, 0.5);
  EXPECT_EQ(cells[1].config.training.rate, 0.1);
}

TEST(Sweep, EmptyAxesUnequalZipsAndHugeGridsAreRefused) {
  Study study;
  study.sweep.grid = {axis("data.vocab", {})};
  EXPECT_THROW(expand_cells(study), Error);
  study.sweep = {};
  study.sweep.zips = {{axis("data.vocab", {int64_t{4}}), axis("data.context", {int64_t{4}, int64_t{5}})}};
  EXPECT_THROW(expand_cells(study), Error);
  study.sweep = {};
  std::vector<Value> many;
  for (int64_t i = 2; i < 1002; ++i) many.emplace_back(i);
  // 1e12 cells: must be refused by counting, not by running out of memory.
  for (const char* key : {"data.vocab", "data.context", "network.width", "training.batch"})
    study.sweep.grid.push_back(axis(key, many));
  EXPECT_THROW(expand_cells(study), Error);
}

TEST(Sweep, InvalidCellsAreNamed) {
  Study study;
  study.sweep.grid = {axis("data.offset", {int64_t{0}, int64_t{7}})};
  try {
    expand_cells(study);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("cell data.offset=7: ")) << error.what();
  }
}

TEST(Sweep, TheFirstMatchingExceptionSetsTheSeeds) {
  Study study;
  study.sweep.grid = {axis("data.vocab", {int64_t{4}, int64_t{10}}), axis("network.width", {int64_t{2}, int64_t{3}})};
  study.seeds.count = 9;
  study.seeds.exceptions = {{{{"data.vocab", int64_t{10}}, {"network.width", int64_t{3}}}, 1},
                            {{{"data.vocab", int64_t{10}}}, 4}};
  std::vector<int64_t> counts;
  for (const Cell& cell : expand_cells(study)) counts.push_back(cell.seeds);
  EXPECT_EQ(counts, (std::vector<int64_t>{9, 9, 4, 1}));
}

TEST(Sweep, RunsWithoutSeedsAreRefused) {
  Study study;
  study.seeds.count = 0;
  EXPECT_THROW(expand_runs(study, expand_cells(study)), Error);
}

TEST(Sweep, SeedsVaryAsAsked) {
  Study study;
  study.seeds.count = 2;
  study.seeds.first = 40;
  const auto seeds_of_second = [&](const std::string& vary) {
    study.seeds.vary = from_word<Vary>(vary);
    const SeedConfig seeds = expand_runs(study, expand_cells(study)).at(1).config.seeds;
    return std::pair(seeds.init, seeds.data);
  };
  EXPECT_EQ(seeds_of_second("both"), std::pair(int64_t{41}, int64_t{41}));
  EXPECT_EQ(seeds_of_second("init"), std::pair(int64_t{41}, int64_t{40}));
  EXPECT_EQ(seeds_of_second("data"), std::pair(int64_t{40}, int64_t{41}));
}

TEST(Sweep, WideningKeepsTheRunsThereWere) {
  Study narrow, wide;
  narrow.seeds.count = 3;
  wide.seeds.count = 5;
  narrow.sweep.grid = {axis("data.vocab", {int64_t{4}})};
  wide.sweep.grid = {axis("data.vocab", {int64_t{10}, int64_t{4}})};
  std::set<std::string> wide_ids;
  for (const atto::Run& run : expand_runs(wide, expand_cells(wide))) wide_ids.insert(run.id);
  for (const atto::Run& run : expand_runs(narrow, expand_cells(narrow))) EXPECT_TRUE(wide_ids.contains(run.id));
}

TEST(Sweep, FiltersCompareTheNamedKeysOnly) {
  RunConfig config;
  config.data.vocab = 4;
  EXPECT_TRUE(matches({}, config));
  EXPECT_TRUE(matches({{"data.vocab", int64_t{4}}, {"training.optimizer", std::string("adam")}}, config));
  EXPECT_FALSE(matches({{"data.vocab", int64_t{4}}, {"network.width", int64_t{3}}}, config));
  EXPECT_THROW(matches({{"data.vocb", int64_t{4}}}, config), Error);
}

RC_GTEST_PROP(SweepProperty, SizesMultiplyAndNothingRepeats, ()) {
  Study study;
  size_t expected = 1;
  if (*rc::gen::arbitrary<bool>()) study.sweep.grid.push_back(distinct_axis("data.vocab", 2, 4));
  if (*rc::gen::arbitrary<bool>()) study.sweep.grid.push_back(distinct_axis("network.width", 1, 4));
  for (const Sweep::Axis& one : study.sweep.grid) expected *= one.values.size();
  if (*rc::gen::arbitrary<bool>()) {
    Sweep::Axis first = distinct_axis("training.steps", 10, 4), second = first;
    second.key = "training.batch";
    expected *= first.values.size();
    study.sweep.zips.push_back({first, second});
  }
  if (*rc::gen::arbitrary<bool>()) {
    const Sweep::Axis cells = distinct_axis("data.context", 1, 3);
    for (const Value& value : cells.values) study.sweep.cells.push_back({{"data.context", value}});
    expected *= cells.values.size();
  }
  study.seeds.count = *rc::gen::inRange<int64_t>(1, 4);
  const std::vector<Cell> cells = expand_cells(study);
  RC_ASSERT(cells.size() == expected);
  const std::vector<atto::Run> runs = expand_runs(study, cells);
  RC_ASSERT(runs.size() == expected * static_cast<size_t>(study.seeds.count));
  std::set<std::string> ids;
  for (const atto::Run& run : runs) {
    ids.insert(run.id);
    RC_ASSERT(matches(cells[run.cell].overrides, run.config));
  }
  RC_ASSERT(ids.size() == runs.size());
}

}  // namespace
}  // namespace atto
