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

}  // namespace
}  // namespace atto
