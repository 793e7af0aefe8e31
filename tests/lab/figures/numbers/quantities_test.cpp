// Rows that figures of numbers share.
#include "lab/figures/numbers/quantities.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

TEST(EstimateRow, IsEmptyWhereThereIsNoPoint) {
  const auto row = [](double value, bool log) {
    return estimate_row(1, summarise({{value, false, false}}, Statistic::median), log, "", 0, "");
  };
  EXPECT_FALSE(row(-1, false).empty());
  EXPECT_TRUE(row(-1, true).empty());
  EXPECT_TRUE(row(INFINITY, false).empty());
  EXPECT_TRUE(estimate_row(NAN, summarise({{1, false, false}}, Statistic::median), false, "", 0, "").empty());
}

TEST(EstimateRow, KeepsAnOpenIntervalWithinWhatWasSeen) {
  const Estimate estimate = summarise({{0, false, false}, {5, false, false}, {70, true, false}}, Statistic::median);
  const auto row = estimate_row(1, estimate, true, "", 0, "");
  EXPECT_EQ(std::get<double>(row.at(1)), 5);
  EXPECT_EQ(std::get<double>(row.at(2)), 5) << "0 has no place on a log scale";
  EXPECT_EQ(std::get<double>(row.at(3)), 70);
  EXPECT_EQ(std::get<int64_t>(row.at(4)), 0) << "the median itself was seen";
  EXPECT_EQ(std::get<std::string>(row.at(8)), "5 [0, ∞]");
}

Estimate of_seeds(int64_t count, Statistic statistic = Statistic::median) {
  Outcomes outcomes;
  for (int64_t i = 0; i < count; ++i) outcomes.push_back({static_cast<double>(i % 2), false, false});
  return summarise(outcomes, statistic);
}

TEST(EstimatesCaption, SaysOfHowManySeedsAndWhatTheBarsAre) {
  EXPECT_EQ(estimates_caption({of_seeds(1), of_seeds(1)}), "one run each");
  EXPECT_EQ(estimates_caption({of_seeds(8), of_seeds(8)}), "median of 8 seeds with its 95 % interval");
  EXPECT_EQ(estimates_caption({of_seeds(3), of_seeds(1)}), "median of 1 to 3 seeds with the range of the seeds");
  EXPECT_EQ(estimates_caption({of_seeds(3), of_seeds(8), of_seeds(5)}),
            "median of 3 to 8 seeds with its 95 % interval (of fewer than six seeds their range)");
  EXPECT_EQ(estimates_caption({of_seeds(4, Statistic::rate), of_seeds(9, Statistic::rate)}),
            "share of 4 to 9 seeds with its 95 % interval (Wilson)");
}

}  // namespace
}  // namespace atto
