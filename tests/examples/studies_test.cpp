// The studies of docs/examples that need no part of their own: each is read, trained for a while with two
// seeds, judged and drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lab/figures/figure.h"
#include "lab/results/results.h"
#include "lab/store/store_samples.h"
#include "lab/study/study.h"
#include "lab/sweep/scheduler.h"
#include "places.h"

namespace atto::studies_test {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> names = list_studies(in_source("docs/examples"));
  std::erase(names, "parts");  // study_test.cpp has it
  return names;
}

class ExampleStudies : public StoreFolder, public testing::WithParamInterface<std::string> {};

TEST_P(ExampleStudies, AreTrainedJudgedAndDrawn) {
  StudyOptions options;
  options.seeds = 2;
  options.set = {"training.steps=300"};
  const Study study = read_study(in_source("docs/examples/" + GetParam() + ".toml"), options);
  const std::vector<Cell> cells = expand_cells(study);
  const std::vector<atto::Run> runs = expand_runs(study, cells);
  Store store(path(), Store::Mode::write);
  run_all(study, runs, store, {});
  const StudyResult result = collect(study, cells, runs, store);
  EXPECT_FALSE(result.claims.empty());
  for (const ClaimResult& claim : result.claims) EXPECT_GE(claim.verdict.seeds, 2) << claim.claim.id;
  for (const CellResult& cell : result.cells) EXPECT_EQ(cell.diverged, 0);
  EXPECT_FALSE(study.figures.empty());
  for (const FigurePlan& figure : study.figures) {
    const Drawing drawing = draw_figure(figure, result, store).drawing;
    // So few seeds give no interval that could be drawn over thresholds; the figure then says so.
    const bool says_why = figure.kind_name == "thresholds" && !drawing.notice.empty();
    EXPECT_TRUE(drawing.marks > 0 || says_why) << figure.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExampleStudies, testing::ValuesIn(names()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Guide, LeadsToEveryExampleStudy) {
  std::ifstream file(in_source("docs/writing-a-study.md"));
  std::ostringstream text;
  text << file.rdbuf();
  for (const std::string& name : names())
    EXPECT_NE(text.str().find("(examples/" + name + ".toml)"), std::string::npos) << name;
}

}  // namespace
}  // namespace atto::studies_test
