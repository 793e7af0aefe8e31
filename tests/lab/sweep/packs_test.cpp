// Packs of runs are worth sending: neither a moment nor an hour of training.
#include "lab/sweep/packs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace atto::packs_test {
namespace {

using TrainRun = atto::Run;  // inside a test, Run is GoogleTest's

class PacksTest : public testing::Test {
 protected:
  // Runs of so many seconds each, longest first as a forecast has them; a unit of cost takes half a second.
  const std::vector<Pack>& divide(std::vector<double> seconds, const PackLength& length = {}) {
    std::sort(seconds.rbegin(), seconds.rend());
    runs_.resize(seconds.size());
    pending_.clear();
    for (size_t i = 0; i < seconds.size(); ++i) pending_.push_back({&runs_[i], 0, 2 * seconds[i]});
    return packs_ = packs_of(pending_, 0.5, length);
  }
  void expect_every_run_once_in_order() const {
    std::vector<const TrainRun*> all;
    for (const Pack& pack : packs_) all.insert(all.end(), pack.runs.begin(), pack.runs.end());
    ASSERT_EQ(all.size(), pending_.size());
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], pending_[i].run);
  }
  std::vector<double> seconds() const {
    std::vector<double> all;
    for (const Pack& pack : packs_) all.push_back(pack.cost / 2);
    return all;
  }

  std::vector<TrainRun> runs_;
  std::vector<PendingRun> pending_;
  std::vector<Pack> packs_;
};

TEST_F(PacksTest, OfAShortSweepAreAsShortAsAllowed) {
  divide(std::vector<double>(100, 1.0));
  expect_every_run_once_in_order();
  EXPECT_EQ(seconds(), std::vector<double>(10, 10.0));
}

TEST_F(PacksTest, AreEnoughForManyWorkers) {
  divide(std::vector<double>(64 * 30, 1.0));
  EXPECT_EQ(seconds(), std::vector<double>(64, 30.0));
}

TEST_F(PacksTest, OfALongSweepAreAsLongAsAllowed) {
  divide(std::vector<double>(60'000, 1.0));
  EXPECT_EQ(seconds(), std::vector<double>(1000, 60.0));
}

TEST_F(PacksTest, LeaveLongRunsByThemselves) {
  divide({100, 50, 50, 6, 6, 1, 1});
  expect_every_run_once_in_order();
  EXPECT_EQ(seconds(), (std::vector<double>{100, 50, 50, 12, 2}));
}

TEST_F(PacksTest, MayBeSingleRuns) {
  divide(std::vector<double>(5, 1.0), {0, 0});
  EXPECT_EQ(seconds(), std::vector<double>(5, 1.0));
}

TEST_F(PacksTest, AreAsManyAsUsualWhereNobodyKnowsTheSpeed) {
  divide(std::vector<double>(640, 1.0));
  EXPECT_EQ(packs_of(pending_, 0).size(), 64U);
  EXPECT_TRUE(packs_of({}, 0.5).empty());
}

}  // namespace
}  // namespace atto::packs_test
