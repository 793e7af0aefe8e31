// Intervals drawn against regions.
#include "report/forest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

namespace atto::forest_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Claim expecting(double low, double high) {
  Claim claim;
  claim.low = low, claim.high = high;
  return claim;
}

Verdict found(double estimate, double low, double high) {
  Verdict verdict;
  verdict.kind = VerdictKind::supported;
  verdict.estimate = estimate, verdict.low = low, verdict.high = high;
  return verdict;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The numbers that the first match of a pattern holds.
std::vector<double> numbers(const std::string& svg, const std::string& pattern) {
  std::smatch match;
  std::vector<double> list;
  if (std::regex_search(svg, match, std::regex(pattern)))
    for (size_t i = 1; i < match.size(); ++i) list.push_back(std::stod(match[i]));
  return list;
}
constexpr const char* kRegion = "class=\"region\" x=\"([\\d.]+)\" y=\"1\" width=\"([\\d.]+)\"";
constexpr const char* kInterval = "class=\"interval\" d=\"M([\\d.]+) 12.0H([\\d.]+)";
constexpr const char* kEstimate = "class=\"estimate\" cx=\"([\\d.]+)\"";

TEST(Forest, AnIntervalInsideItsRegionIsDrawnInside) {
  const std::string svg = forest_svg(expecting(1, 3), found(2, 1.5, 2.5));
  const auto band = numbers(svg, kRegion), line = numbers(svg, kInterval), dot = numbers(svg, kEstimate);
  ASSERT_EQ(band.size() + line.size() + dot.size(), 5u) << svg;
  EXPECT_LT(band[0], line[0]);
  EXPECT_LT(line[0], dot[0]);
  EXPECT_LT(dot[0], line[1]);
  EXPECT_LT(line[1], band[0] + band[1]);
  EXPECT_NEAR(dot[0], 88, 0.06) << "the middle of the region is the middle of the picture";
}

TEST(Forest, AnOutsideIntervalIsDrawnOutside) {
  const std::string svg = forest_svg(expecting(1, 2), found(3, 2.8, 3.2));
  const auto band = numbers(svg, kRegion), line = numbers(svg, kInterval);
  EXPECT_GT(line[0], band[0] + band[1]);
}

TEST(Forest, AnInfiniteEndIsAnArrowAtTheEdge) {
  const std::string svg = forest_svg(expecting(1, 3), found(2, 1.5, kInfinite));
  EXPECT_EQ(numbers(svg, kInterval)[1], 175);
  EXPECT_TRUE(contains(svg, "L175.0 12.0l-5.0 4"));
}

TEST(Forest, AnEndFarOutIsAnArrowAndLeavesRoomForTheRest) {
  const std::string svg = forest_svg(expecting(1, 3), found(2, 1.5, 1e9));
  EXPECT_TRUE(contains(svg, "L175.0 12.0l-5.0 4"));
  EXPECT_GT(numbers(svg, kRegion)[1], 40);
}

TEST(Forest, ARegionWithoutAnEndRunsOffThePicture) {
  const auto up = numbers(forest_svg(expecting(0.5, kInfinite), found(0.7, 0.6, 0.8)), kRegion);
  EXPECT_NEAR(up[0] + up[1], 176, 0.11);
  const auto down = numbers(forest_svg(expecting(-kInfinite, 0.5), found(0.7, 0.6, 0.8)), kRegion);
  EXPECT_EQ(down[0], 0);
}

TEST(Forest, EndsThatDoNotBelongToTheRegionAreDashed) {
  Claim claim = expecting(0, kInfinite);
  EXPECT_FALSE(contains(forest_svg(claim, found(1, 0.5, 2)), "end open"));
  claim.low_open = true;
  EXPECT_TRUE(contains(forest_svg(claim, found(1, 0.5, 2)), "end open"));
}

TEST(Forest, SharesHaveOneAxis) {
  Claim claim = expecting(0.5, 1);
  claim.statistic = Statistic::rate;
  EXPECT_EQ(numbers(forest_svg(claim, found(0.75, 0.7, 0.8)), kEstimate)[0], 7 + 0.75 * 162);
}

TEST(Forest, RatiosAreLaidOutByTheirLogarithm) {
  Claim claim = expecting(0.25, 4);
  claim.against = CellFilter{};
  claim.compare = Comparison::ratio;
  const std::string svg = forest_svg(claim, found(1, 0.5, 2));
  const auto line = numbers(svg, kInterval), dot = numbers(svg, kEstimate);
  EXPECT_NEAR(dot[0] - line[0], line[1] - dot[0], 0.11);
  EXPECT_TRUE(contains(svg, "class=\"same\""));
  EXPECT_TRUE(contains(forest_svg(claim, found(1, 0, 2)), "l5.0 4")) << "0 is infinitely far down";
}

TEST(Forest, TheIntervalThatDoesNotDecideIsThinner) {
  Verdict verdict = found(2, 1.5, 2.5);
  EXPECT_FALSE(contains(forest_svg(expecting(1, 3), verdict), "class=\"other\""));
  verdict.anytime_low = 1.2, verdict.anytime_high = 2.8;
  const std::string ordinary = forest_svg(expecting(1, 3), verdict);
  verdict.rests_on = RestsOn::anytime;
  const std::string anytime = forest_svg(expecting(1, 3), verdict);
  const auto width = [](const std::vector<double>& ends) { return ends[1] - ends[0]; };
  EXPECT_TRUE(contains(ordinary, "class=\"other\""));
  EXPECT_LT(width(numbers(ordinary, kInterval)), width(numbers(anytime, kInterval)));
}

TEST(Forest, ADecisionThatDoesNotStandIsHollow) {
  Verdict verdict = found(2, 1.5, 2.5);
  verdict.adjusted = VerdictKind::supported;
  EXPECT_FALSE(contains(forest_svg(expecting(1, 3), verdict), "hollow"));
  verdict.adjusted = VerdictKind::inconclusive;
  EXPECT_TRUE(contains(forest_svg(expecting(1, 3), verdict), "hollow"));
}

TEST(Forest, NothingIsDrawnOfNothingAndEverythingOfInfinities) {
  EXPECT_EQ(forest_svg(expecting(1, 3), {}), "");
  const std::string svg = forest_svg(expecting(-kInfinite, kInfinite), found(kInfinite, kInfinite, kInfinite));
  EXPECT_FALSE(contains(svg, "nan"));
  EXPECT_FALSE(contains(svg, "inf"));
}

}  // namespace
}  // namespace atto::forest_test
