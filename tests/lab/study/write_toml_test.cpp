// Cells of a study as a study of their own: the same runs.
#include "lab/study/write_toml.h"

#include <gtest/gtest.h>

#include "places.h"

namespace atto::write_toml_test {
namespace {

std::vector<std::string> ids_of(const Study& study, const std::vector<Cell>& cells) {
  std::vector<std::string> ids;
  for (const Run& run : expand_runs(study, cells)) ids.push_back(run.id);
  return ids;
}

// The study read back has the runs of these cells, and finds in them what the first one finds.
void expect_same(const Study& study, const std::vector<Cell>& cells) {
  const std::string text = study_toml(study, cells);
  SCOPED_TRACE(text);
  const Study again = parse_study(text, "again.toml", {});
  EXPECT_EQ(ids_of(again, expand_cells(again)), ids_of(study, cells));
  ASSERT_EQ(again.phenomena.size(), study.phenomena.size());
  for (size_t i = 0; i < study.phenomena.size(); ++i) {
    EXPECT_EQ(again.phenomena[i].name, study.phenomena[i].name);
    EXPECT_EQ(again.phenomena[i].detector_name, study.phenomena[i].detector_name);
    EXPECT_EQ(again.phenomena[i].settings, study.phenomena[i].settings);
  }
  EXPECT_EQ(again.quantities.size(), study.quantities.size());
}

TEST(WriteToml, EveryStudyOfTheRepositoryComesBack) {
  size_t written = 0;
  StudyOptions options;
  options.seeds = 2;
  for (const std::string& name : list_studies(in_source("studies"))) {
    SCOPED_TRACE(name);
    const Study study = read_study(in_source("studies/" + name + ".toml"), options);
    const std::vector<Cell> cells = expand_cells(study);
    if (!stands_alone(study, cells)) continue;
    ++written;
    expect_same(study, cells);
    expect_same(study, {cells.back()});
  }
  EXPECT_GT(written, 50u);
}

constexpr const char* kStudy = R"(
title = "A \"title\" with \\ and \u0007"
[data]
task = "copy"
context = 2
vocab = 4
[training]
steps = 100
[sweep.grid]
network.width = [2, 3, 4]
[[observe]]
what = ["perplexity", "loss"]
at = [1, 7]
log = 5
[seeds]
count = 8
first = 5
vary = "init"
[[seeds.exceptions]]
where = { network.width = 4 }
count = 3
)";

TEST(WriteToml, SeedsAndTextsKeepTheirForm) {
  const Study study = parse_study(kStudy, "a.toml", {});
  expect_same(study, expand_cells(study));
  const Study again = parse_study(study_toml(study, expand_cells(study)), "b.toml", {});
  EXPECT_EQ(again.title, study.title);
}

TEST(WriteToml, WhatAllCellsShareStandsOnce) {
  const Study study = parse_study(kStudy, "a.toml", {});
  const std::string text = study_toml(study, expand_cells(study));
  ASSERT_NE(text.find("vocab"), std::string::npos) << text;
  EXPECT_EQ(text.find("vocab"), text.rfind("vocab")) << text;
}

TEST(WriteToml, ASeedPlanUntilDecidedBecomesItsFirstLook) {
  std::string text = kStudy;
  text.replace(text.find("first = 5"), 9, "until = \"decided\"");
  text.replace(text.find("vary = \"init\""), 13, "");
  const Study study = parse_study(text, "a.toml", {});
  const Study again = parse_study(study_toml(study, expand_cells(study)), "b.toml", {});
  EXPECT_EQ(again.seeds.until, Until::count);
  EXPECT_EQ(again.seeds.count, 8);
}

TEST(WriteToml, RunsThatReadFilesDoNotStandAlone) {
  const Study study = parse_study(kStudy, "a.toml", {});
  std::vector<Cell> cells = expand_cells(study);
  EXPECT_TRUE(stands_alone(study, cells));
  EXPECT_FALSE(stands_alone(study, {}));
  cells[1].config.data.file = "pairs.csv";
  EXPECT_FALSE(stands_alone(study, cells));
}

TEST(WriteToml, RunsThatEndBeforeThePlanDoNotStandAlone) {
  Study study = parse_study(kStudy, "a.toml", {});
  const std::vector<Cell> cells = expand_cells(study);
  study.observe.front().when.at = {cells.front().config.training.steps};
  EXPECT_TRUE(stands_alone(study, cells));
  study.observe.front().when.at.push_back(cells.front().config.training.steps + 1);
  EXPECT_FALSE(stands_alone(study, cells));
}

}  // namespace
}  // namespace atto::write_toml_test
