// A sweep is split by cost, and the split follows from the runs alone.
#include "lab/sweep/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "lab/sweep/forecast.h"

namespace atto::shard_test {
namespace {

using TrainRun = atto::Run;  // inside a test, Run is GoogleTest's

// Cells of very different cost, `seeds` runs each.
std::vector<TrainRun> uneven_runs(int64_t seeds) {
  std::vector<TrainRun> runs;
  size_t cell = 0;
  for (const int64_t vocab : {4, 10, 100, 400}) {
    for (int64_t seed = 0; seed < seeds; ++seed) {
      TrainRun run{cell, seed, {}, ""};
      run.config.data.vocab = vocab;
      run.config.seeds.init = run.config.seeds.data = seed + 1;
      run.id = run_id(run.config, {});
      runs.push_back(run);
    }
    ++cell;
  }
  return runs;
}

double cost_of(const std::vector<TrainRun>& runs) {
  RunCosts costs;
  double sum = 0;
  for (const TrainRun& run : runs) sum += costs.of(run);
  return sum;
}

TEST(Shard, EveryRunIsInExactlyOne) {
  const std::vector<TrainRun> runs = uneven_runs(13);
  for (const int64_t count : {1, 2, 3, 7, 60}) {
    std::multiset<std::string> ids;
    for (int64_t i = 1; i <= count; ++i)
      for (const TrainRun& run : runs_of_shard(runs, {i, count})) ids.insert(run.id);
    std::multiset<std::string> expected;
    for (const TrainRun& run : runs) expected.insert(run.id);
    EXPECT_EQ(ids, expected) << count << " shards";
  }
}

TEST(Shard, SharesCostTheSameAndNotTheSameNumberOfRuns) {
  const std::vector<TrainRun> runs = uneven_runs(32);
  RunCosts costs;
  double longest = 0;
  for (const TrainRun& run : runs) longest = std::max(longest, costs.of(run));
  std::set<size_t> sizes;
  for (int64_t i = 1; i <= 5; ++i) {
    const std::vector<TrainRun> share = runs_of_shard(runs, {i, 5});
    // The longest run first, to the one that has least: nobody is more than one run behind or ahead.
    EXPECT_NEAR(cost_of(share), cost_of(runs) / 5, longest);
    sizes.insert(share.size());
  }
  EXPECT_GT(sizes.size(), 1u);
}

TEST(Shard, KeepsTheOrderOfRunsAndCountsARunOnce) {
  std::vector<TrainRun> runs = uneven_runs(4);
  const std::vector<TrainRun> once = runs_of_shard(runs, {2, 3});
  runs.push_back(runs.front());  // two cells may ask for the same run
  const std::vector<TrainRun> twice = runs_of_shard(runs, {2, 3});
  ASSERT_EQ(once.size(), twice.size());
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].id, twice[i].id);
  const auto place = [&](const TrainRun& run) {
    return std::find_if(runs.begin(), runs.end(), [&](const TrainRun& one) { return one.id == run.id; });
  };
  EXPECT_TRUE(std::is_sorted(once.begin(), once.end(),
                             [&](const TrainRun& a, const TrainRun& b) { return place(a) < place(b); }));
}

TEST(Shard, MoreShardsThanRunsLeavesSomeEmpty) {
  const std::vector<TrainRun> runs = uneven_runs(1);
  size_t empty = 0;
  for (int64_t i = 1; i <= 9; ++i) empty += runs_of_shard(runs, {i, 9}).empty() ? 1 : 0;
  EXPECT_EQ(empty, 5u);
}

TEST(Shard, SweepsOfOtherRunsHaveOtherHashes) {
  EXPECT_EQ(sweep_hash(uneven_runs(3)), sweep_hash(uneven_runs(3)));
  EXPECT_NE(sweep_hash(uneven_runs(3)), sweep_hash(uneven_runs(4)));
}

TEST(Shard, IsReadFromItsText) {
  EXPECT_EQ(parse_shard("3/200"), (Shard{3, 200}));
  EXPECT_EQ(to_text({3, 200}), "3/200");
  for (const char* text : {"", "3", "/", "3/", "/200", "0/5", "6/5", "-1/5", "1/0", "1/-5", "1/5x", "a/b", "1/5/7", "1 /5",
                           "1/100001", "1/99999999999999999999"})
    EXPECT_THROW(parse_shard(text), Error) << text;
}

}  // namespace
}  // namespace atto::shard_test
