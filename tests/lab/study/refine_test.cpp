// Points between those of a study's grid.
#include <gtest/gtest.h>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::refine_test {
namespace {

Study read(const std::string& sweep, int64_t halvings) {
  StudyOptions options;
  options.refine = halvings;
  return parse_study(R"(title = "Refined"
[data]
vocab = 4
[training]
batch = 4
steps = 4
[[observe]]
what = ["loss"]
[[phenomenon]]
detector = "value"
name = "final"
series = "loss"
[[claim]]
id = "R"
statement = "It is small."
quantity = "final.value"
statistic = "median"
region = [0, 10]
)" + sweep,
                     "refined.toml", options);
}

std::vector<Value> wholes(std::initializer_list<int64_t> numbers) { return {numbers.begin(), numbers.end()}; }

TEST(Refine, HalvesTheGapsOfWholeNumbersWhereThereIsOne) {
  const Study once = read("[sweep.grid]\nnetwork.width = [10, 2, 3, 5]", 1);
  ASSERT_EQ(once.sweep.grid.size(), 1u);
  EXPECT_EQ(once.sweep.grid[0].values, wholes({2, 3, 4, 5, 7, 10}));
  EXPECT_EQ(once.sweep.grid[0].places, (std::vector<int64_t>{0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(once.sweep.grid[0].step, 2);
  const Study twice = read("[sweep.grid]\nnetwork.width = [3, 5, 10]", 2);
  EXPECT_EQ(twice.sweep.grid[0].values, wholes({3, 4, 5, 6, 7, 8, 10}));
  EXPECT_EQ(twice.sweep.grid[0].places, (std::vector<int64_t>{0, 2, 4, 5, 6, 7, 8}));
}

TEST(Refine, TakesTheGeometricMeanOfRealNumbersInThreeDigits) {
  const Study study = read("[sweep.grid]\ntraining.rate = [1e-3, 1e-2, 1e-1]", 1);
  EXPECT_EQ(study.sweep.grid[0].values,
            (std::vector<Value>{1e-3, 3.16e-3, 1e-2, 3.16e-2, 1e-1}));
}

TEST(Refine, LeavesOutWhatIsNoRunAndLeavesWordsAlone) {
  const Study study = read(
      "[network]\noutput = true\nheads = 2\n[sweep.grid]\nnetwork.width = [2, 4, 8]\ntraining.optimizer = [\"sgd\", "
      "\"adam\"]",
      1);
  EXPECT_EQ(study.sweep.grid[0].values, wholes({2, 4, 6, 8})) << "3 is no multiple of the heads";
  EXPECT_EQ(study.sweep.grid[1].values.size(), 2u);
}

TEST(Refine, IsForExploringOnly) {
  EXPECT_EQ(read("[sweep.grid]\nnetwork.width = [2, 4]", 0).claims.size(), 1u);
  const Study study = read("[sweep.grid]\nnetwork.width = [2, 4]", 1);
  EXPECT_TRUE(study.claims.empty());
  EXPECT_TRUE(study.fits.empty());
  StudyOptions options;
  options.refine = 1;
  EXPECT_EQ(variant_name(study, options), "quick refine=1");
  EXPECT_THROW(read("[sweep.grid]\nnetwork.width = [2, 4]", -1), Error);
  EXPECT_THROW(read("[sweep.grid]\nnetwork.width = [2, 4]", kMostHalvings + 1), Error);
}

TEST(Refine, KeepsTheRunsOfTheStudysOwnPoints) {
  const std::string sweep = "[sweep.grid]\nnetwork.width = [2, 4]\ndata.context = [3, 9]";
  const Study own = read(sweep, 0), more = read(sweep, 2);
  std::vector<std::string> ids;
  for (const atto::Run& run : expand_runs(more, expand_cells(more))) ids.push_back(run.id);
  EXPECT_GT(ids.size(), expand_runs(own, expand_cells(own)).size());
  for (const atto::Run& run : expand_runs(own, expand_cells(own)))
    EXPECT_NE(std::find(ids.begin(), ids.end(), run.id), ids.end());
}

}  // namespace
}  // namespace atto::refine_test
