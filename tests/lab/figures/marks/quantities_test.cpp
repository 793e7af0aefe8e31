// Axes, titles and rows that figures of numbers share.
#include "lab/figures/marks/quantities.h"

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

TEST(Titles, AreWrappedBetweenWords) {
  EXPECT_EQ(wrapped_title("share of seeds: plateau present"), (Json{"share of seeds:", "plateau present"}));
  EXPECT_EQ(wrapped_title("loss"), Json::array({"loss"}));
}

TEST(Axes, TicksStandAtFewRoundSizes) {
  EXPECT_EQ(size_axis("x", "t", Scale::log, {128, 512, 128})["axis"]["values"], (Json{128.0, 512.0}));
  EXPECT_EQ(log_axis("y", "t", {12, 4100})["axis"]["values"], (Json{10.0, 100.0, 1000.0}));
  EXPECT_FALSE(size_axis("x", "t", Scale::log, {std::sqrt(2.0), 512})["axis"]["values"] ==
               (Json{std::sqrt(2.0), 512.0}));
  EXPECT_FALSE(size_axis("x", "t", Scale::linear, {0.001, 0.002, 1}).contains("axis")) << "labels would run together";
  const Json one = log_axis("y", "t", {5, -1, 0, INFINITY})["scale"]["domain"];
  EXPECT_LT(one[0], 5);
  EXPECT_GT(one[1], 5);
  EXPECT_FALSE(log_axis("y", "t", {-1})["scale"].contains("domain"));
}

}  // namespace
}  // namespace atto
