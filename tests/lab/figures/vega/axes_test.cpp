#include "lab/figures/vega/axes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

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
  const Json linear = size_axis("x", "t", Scale::linear, {3, 1, 2, 0});
  EXPECT_EQ(linear["axis"]["values"], (Json{0.0, 1.0, 2.0, 3.0})) << "0 has a place there";
  EXPECT_EQ(linear["scale"]["padding"], 12);
  EXPECT_FALSE(linear["scale"].contains("domain"));
  EXPECT_FALSE(size_axis("x", "t", Scale::log, {128, 512})["scale"].contains("padding"));
  const Json one = log_axis("y", "t", {5, -1, 0, INFINITY})["scale"]["domain"];
  EXPECT_LT(one[0], 5);
  EXPECT_GT(one[1], 5);
  EXPECT_FALSE(log_axis("y", "t", {-1})["scale"].contains("domain"));
}

}  // namespace
}  // namespace atto
