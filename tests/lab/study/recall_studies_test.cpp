// The studies of associative recall: the published sizes are one profile away, and runs are shared.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/study/study.h"
#include "places.h"

namespace atto {
namespace {

const std::string kStudies = in_source("studies");

Study study(const std::string& name, const std::string& profile) {
  StudyOptions options;
  options.profile = profile;
  return read_study(find_study(name, {kStudies}), options);
}

std::set<std::string> run_ids(const std::string& name) {
  const Study quick = study(name, "quick");
  std::set<std::string> ids;
  for (const atto::Run& run : expand_runs(quick, expand_cells(quick))) ids.insert(run.id);
  return ids;
}

// Table 1 of the paper. Two studies stand for all: reading one plans every network of this size.
TEST(RecallStudies, ThePaperProfileHasThePublishedSizes) {
  for (const char* name : {"recall-emergence", "recall-patterns"}) {
    const std::vector<Cell> cells = expand_cells(study(name, "paper"));
    ASSERT_FALSE(cells.empty());
    for (const Cell& cell : cells) {
      SCOPED_TRACE(name + (" " + cell_text(cell.overrides)));
      const NetworkConfig& network = cell.config.network;
      EXPECT_EQ(network.layers, 4);
      EXPECT_EQ(network.heads, 4);
      EXPECT_EQ(network.width, 256);
      EXPECT_EQ(network.head_width, 64);
      EXPECT_EQ(network.mlp, "gelu");
      EXPECT_EQ(network.mlp_factor, 4);
      EXPECT_EQ(network.norm, NormKind::none);
      EXPECT_EQ(network.positions, PositionKind::sinusoidal);
      EXPECT_TRUE(network.residual);
      EXPECT_EQ(cell.config.training.optimizer, "adam");
      EXPECT_EQ(cell.config.training.rate, 1e-4);
      EXPECT_EQ(cell.config.training.batch, 32);
      EXPECT_EQ(cell.config.training.steps, 200000);
      EXPECT_EQ(cell.seeds, 3);
    }
  }
}

TEST(RecallStudies, ShareTheRunsTheyHaveInCommon) {
  const auto shared = [](const std::string& a, const std::string& b) {
    const std::set<std::string> all = run_ids(b);
    int count = 0;
    for (const std::string& id : run_ids(a)) count += all.contains(id);
    return count;
  };
  EXPECT_EQ(shared("recall-emergence", "recall-law"), 18);
  EXPECT_GE(shared("diversity-schedule-recall", "recall-repetition"), 18);
}

// One network and as many positions, whatever the task.
TEST(RecallStudies, CoupledCircuitsDifferInTheTaskOnly) {
  const std::vector<Cell> cells = expand_cells(study("coupled-circuits", "quick"));
  std::map<std::string, std::set<int64_t>> positions;
  for (const Cell& cell : cells) {
    const DataConfig& data = cell.config.data;
    positions[data.task + std::to_string(data.hops)].insert(data.task == "recall" ? 2 * data.pairs + 1 : data.context);
    RunConfig same = cells.front().config;
    same.data = data;
    EXPECT_EQ(canonical_text(same, {}), canonical_text(cell.config, {})) << cell_text(cell.overrides);
  }
  ASSERT_EQ(positions.size(), 3u);
  EXPECT_EQ(positions["recall1"], positions["recall2"]);
  // Regression costs little, so it has longer sequences besides.
  const std::set<int64_t>&longer = positions["regression1"], &common = positions["recall1"];
  EXPECT_TRUE(std::includes(longer.begin(), longer.end(), common.begin(), common.end()));
}

}  // namespace
}  // namespace atto
