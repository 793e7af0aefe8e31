// One number for a cell, its interval, and the keys of a sweep.
#include "lab/results/cell_values.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<ClaimSample> samples(const std::vector<double>& values, size_t censored = 0) {
  std::vector<ClaimSample> list;
  for (size_t i = 0; i < values.size(); ++i) list.push_back({values[i], i + censored >= values.size(), false});
  return list;
}

TEST(Estimates, OfManySeedsAreTheMedianAndItsInterval) {
  const Estimate estimate = median_estimate(samples({8, 1, 2, 3, 4, 5, 6, 7, 9}));
  EXPECT_EQ(estimate.value, 5);
  EXPECT_EQ(estimate.low, 2);  // of nine, the second and the last but one
  EXPECT_EQ(estimate.high, 8);
  EXPECT_FALSE(estimate.range);
  EXPECT_EQ(estimate_text(estimate), "5 [2, 8]");
}

TEST(Estimates, OfFewSeedsGiveTheirRange) {
  const Estimate estimate = median_estimate(samples({3, 1, 2}));
  EXPECT_TRUE(estimate.range);
  EXPECT_EQ(estimate.low, 1);
  EXPECT_EQ(estimate.high, 3);
  EXPECT_EQ(estimate_text(median_estimate(samples({4}))), "4");
}

TEST(Estimates, CensoredValuesLeaveThemOpen) {
  const Estimate some = median_estimate(samples({1, 2, 3, 4, 5, 6, 7, 50}, 1));
  EXPECT_EQ(some.value, 4.5);
  EXPECT_EQ(some.high, kInfinity);
  EXPECT_EQ(some.largest, 50);
  EXPECT_FALSE(some.beyond());
  const Estimate most = median_estimate(samples({1, 50, 60}, 2));
  EXPECT_TRUE(most.beyond());
  EXPECT_EQ(most.reached, 50);
  EXPECT_EQ(estimate_text(most), "> 50 [1, ∞]");
  EXPECT_EQ(samples_text(most), "3 seeds, 2 censored");
}

TEST(Estimates, CountWhatIsNotThere) {
  std::vector<ClaimSample> list = samples({1, NAN});
  list.push_back({std::nullopt, false, false});
  list.push_back({std::nullopt, false, true});
  const Estimate estimate = median_estimate(list);
  EXPECT_EQ(estimate.value, 1);
  EXPECT_EQ(samples_text(estimate), "4 seeds, 2 without, 1 diverged");
  EXPECT_TRUE(std::isnan(median_estimate({}).value));
  EXPECT_EQ(estimate_text(median_estimate({})), "-");
  EXPECT_TRUE(std::isnan(share_estimate({}).value));
}

TEST(Estimates, AnInfiniteValueThatIsNotCensoredIsNoTriangle) {
  const Estimate estimate = median_estimate(samples({kInfinity, kInfinity, 1}));
  EXPECT_EQ(estimate.value, kInfinity);
  EXPECT_FALSE(estimate.beyond());
}

TEST(Estimates, SharesHaveAllSeedsInTheDenominator) {
  std::vector<ClaimSample> list = samples({1, 1, 0});
  list.push_back({std::nullopt, false, true});
  const Estimate estimate = share_estimate(list);
  EXPECT_EQ(estimate.value, 0.5);
  const Interval wilson_interval = wilson(2, 4);
  EXPECT_EQ(estimate.low, wilson_interval.low);
  EXPECT_EQ(estimate.high, wilson_interval.high);
}

TEST(Estimates, ShareOfRunsThatEndedTooEarlyMayBeHigher) {
  const Estimate open = share_estimate(samples({1, 1, 1, 1, 1, 1, 0, 0}, 2));
  EXPECT_EQ(open.value, 0.75);
  EXPECT_EQ(open.low, wilson(6, 8).low);
  EXPECT_EQ(open.high, wilson(8, 8).high);
}

TEST(SweptKeys, AreThoseThatDifferIncludingTheBaseValue) {
  std::vector<Cell> cells(3);
  cells[0].overrides = {{"data.vocab", int64_t{20}}, {"network.width", int64_t{2}}};
  cells[0].config.data.vocab = 20;
  cells[0].config.network.width = 2;
  cells[1].overrides = {{"data.vocab", int64_t{5}}, {"network.width", int64_t{2}}};
  cells[1].config.data.vocab = 5;
  cells[1].config.network.width = 2;
  cells[2].overrides = {{"network.width", int64_t{2}}};  // has the vocabulary of the base run
  cells[2].config.data.vocab = 10;
  cells[2].config.network.width = 2;
  const auto keys = swept_keys({&cells[0], &cells[1], &cells[2]});
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].key, "data.vocab");
  EXPECT_EQ(keys[0].values, (std::vector<Value>{int64_t{5}, int64_t{10}, int64_t{20}}));
  EXPECT_EQ(keys[0].index(key_value(cells[2], "data.vocab")), 1u);
  EXPECT_EQ(keys[0].index(int64_t{7}), 3u);
}

}  // namespace
}  // namespace atto
