// Many outcomes as one number with its interval.
#include "phenomena/outcomes/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Outcomes outcomes(const std::vector<double>& values, size_t censored = 0) {
  Outcomes list;
  for (size_t i = 0; i < values.size(); ++i) list.push_back({values[i], i + censored >= values.size(), false});
  return list;
}

TEST(Summarise, OfManySeedsAreTheMedianAndItsInterval) {
  const Estimate estimate = summarise(outcomes({8, 1, 2, 3, 4, 5, 6, 7, 9}), Statistic::median);
  EXPECT_EQ(estimate.value, 5);
  EXPECT_EQ(estimate.low, 2);  // of nine, the second and the last but one
  EXPECT_EQ(estimate.high, 8);
  EXPECT_FALSE(estimate.range);
}

TEST(Summarise, OfFewSeedsGiveTheirRange) {
  const Estimate estimate = summarise(outcomes({3, 1, 2}), Statistic::median);
  EXPECT_TRUE(estimate.range);
  EXPECT_EQ(estimate.low, 1);
  EXPECT_EQ(estimate.high, 3);
}

TEST(Summarise, CensoredValuesLeaveThemOpen) {
  const Estimate some = summarise(outcomes({1, 2, 3, 4, 5, 6, 7, 50}, 1), Statistic::median);
  EXPECT_EQ(some.value, 4.5);
  EXPECT_EQ(some.high, kInfinity);
  EXPECT_EQ(some.largest, 50);
  EXPECT_FALSE(some.beyond());
  const Estimate most = summarise(outcomes({1, 50, 60}, 2), Statistic::median);
  EXPECT_TRUE(most.beyond());
  EXPECT_EQ(most.reached, 50);
  EXPECT_EQ(most.low, 1);
  EXPECT_EQ(most.high, kInfinity);
  EXPECT_EQ(most.seeds, 3);
  EXPECT_EQ(most.censored, 2);
}

TEST(Summarise, CountWhatIsNotThere) {
  Outcomes list = outcomes({1, NAN});
  list.push_back({std::nullopt, false, false});
  list.push_back({std::nullopt, false, true});
  const Estimate estimate = summarise(list, Statistic::median);
  EXPECT_EQ(estimate.value, 1);
  EXPECT_EQ(estimate.seeds, 4);
  EXPECT_EQ(estimate.missing, 2);
  EXPECT_EQ(estimate.diverged, 1);
  EXPECT_TRUE(std::isnan(summarise({}, Statistic::median).value));
  EXPECT_TRUE(std::isnan(summarise({}, Statistic::rate).value));
}

TEST(Summarise, AnInfiniteValueThatIsNotCensoredIsNoTriangle) {
  const Estimate estimate = summarise(outcomes({kInfinity, kInfinity, 1}), Statistic::median);
  EXPECT_EQ(estimate.value, kInfinity);
  EXPECT_FALSE(estimate.beyond());
}

TEST(Summarise, SharesHaveAllSeedsInTheDenominator) {
  Outcomes list = outcomes({1, 1, 0});
  list.push_back({std::nullopt, false, true});
  const Estimate estimate = summarise(list, Statistic::rate);
  EXPECT_EQ(estimate.value, 0.5);
  const Interval wilson_interval = wilson(2, 4);
  EXPECT_EQ(estimate.low, wilson_interval.low);
  EXPECT_EQ(estimate.high, wilson_interval.high);
}

TEST(Summarise, ShareOfRunsThatEndedTooEarlyMayBeHigher) {
  const Estimate open = summarise(outcomes({1, 1, 1, 1, 1, 1, 0, 0}, 2), Statistic::rate);
  EXPECT_EQ(open.value, 0.75);
  EXPECT_EQ(open.low, wilson(6, 8).low);
  EXPECT_EQ(open.high, wilson(8, 8).high);
  const Estimate few = summarise(outcomes({1, 0}, 1), Statistic::rate);
  EXPECT_EQ(few.high, wilson(2, 2).high) << "of few runs too";
}

// A claim is not judged by these, whoever else may show them.
TEST(Summarise, SaysWhatStandsInTheWayOfAVerdict) {
  EXPECT_EQ(summarise(Outcomes{}, Statistic::rate).obstacle, "there are no runs");
  EXPECT_EQ(summarise(outcomes({1, 2, 3, 4, 5}), Statistic::median).obstacle,
            "only 5 of 5 runs have a value; at least 6 are needed");
  EXPECT_EQ(summarise(outcomes({1, 2, 3, 4, 5, 6}), Statistic::median).obstacle, "");
  EXPECT_NE(summarise(outcomes({1, 2, 3, 4, 5, 6}, 1), Statistic::mean).obstacle.find("1 censored"), std::string::npos);
  EXPECT_EQ(summarise(outcomes({1, 2, 3, 4, 5, 6}, 1), Statistic::median).obstacle, "");
  EXPECT_THROW(summarise(outcomes({1}), Statistic::fit), Error);
}

TEST(Summarise, ComparesTwoGroups) {
  const Outcomes first = outcomes({2, 2, 2, 2, 2, 2, 4}, 1), second = outcomes({8, 8, 8, 8, 8, 8});
  const Estimate difference =
      compare_groups(number_answers(first), number_answers(second), Statistic::median, Comparison::difference, {});
  EXPECT_EQ(difference.value, -6);
  EXPECT_EQ(difference.seeds, 13);
  EXPECT_EQ(difference.censored, 1);
  const auto ratio_of = [](const Outcomes& a, const Outcomes& b) {
    return compare_groups(number_answers(a), number_answers(b), Statistic::median, Comparison::ratio, {});
  };
  EXPECT_EQ(ratio_of(first, second).value, 0.25);
  const Estimate few = ratio_of(first, outcomes({1}));
  EXPECT_EQ(few.obstacle, "only 1 of 1 runs have a value; at least 6 are needed");
  EXPECT_TRUE(std::isnan(few.value));
  EXPECT_EQ(few.seeds, 8);
}

}  // namespace
}  // namespace atto
