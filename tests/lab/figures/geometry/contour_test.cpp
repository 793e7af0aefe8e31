#include "lab/figures/geometry/contour.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

TEST(Contour, LiesWhereTheFieldCrosses) {
  // One square rising to the right from 0 to 1: the level 0.25 is a vertical line at a quarter.
  const auto line = contour(std::vector<double>{0, 1, 0, 1}, 2, 0.25);
  ASSERT_EQ(line.size(), 1u);
  EXPECT_DOUBLE_EQ(line[0].x0, 0.25);
  EXPECT_DOUBLE_EQ(line[0].x1, 0.25);
  EXPECT_DOUBLE_EQ(std::min(line[0].y0, line[0].y1), 0);
  EXPECT_DOUBLE_EQ(std::max(line[0].y0, line[0].y1), 1);
}

TEST(Contour, FollowsAPlaneThroughManySquares) {
  // value = x + 2 y on 4 rows of 5 columns; every end of a segment lies on x + 2 y = 4.3.
  std::vector<double> plane;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) plane.push_back(x + 2.0 * y);
  const auto line = contour(plane, 5, 4.3);
  double length = 0;
  for (const Segment& one : line) {
    EXPECT_NEAR(one.x0 + 2 * one.y0, 4.3, 1e-12);
    EXPECT_NEAR(one.x1 + 2 * one.y1, 4.3, 1e-12);
    length += std::hypot(one.x1 - one.x0, one.y1 - one.y0);
  }
  EXPECT_NEAR(length, std::hypot(4, 2), 1e-9);  // from (4, 0.15) to (0, 2.15)
}

TEST(Contour, JoinsTheHighCornersOfASaddleWhenItsMiddleIsHigh) {
  // High at the lower left and upper right. With a high middle the low corners are cut off, each by its own segment.
  for (const double high : {0.9, 0.6}) {
    const auto line = contour(std::vector<double>{high, 0.1, 0.1, high}, 2, 0.4);
    ASSERT_EQ(line.size(), 2u);
    const bool middle_is_high = (high + 0.1) / 2 >= 0.4;
    for (const Segment& one : line) {
      const double x = (one.x0 + one.x1) / 2, y = (one.y0 + one.y1) / 2;
      const bool near_a_low_corner = (x > 0.5) != (y > 0.5);
      EXPECT_EQ(near_a_low_corner, middle_is_high) << high;
    }
  }
}

TEST(Contour, LeavesOutSquaresWithoutAllTheirCorners) {
  EXPECT_TRUE(contour(std::vector<double>{0, 1, NAN, 1}, 2, 0.5).empty());
  EXPECT_TRUE(contour(std::vector<double>{0, 1, INFINITY, 1}, 2, 0.5).empty());
  EXPECT_TRUE(contour(std::vector<double>{0, 1}, 2, 0.5).empty());  // a single row has no squares
  EXPECT_TRUE(contour(std::vector<double>{}, 0, 0.5).empty());
  EXPECT_TRUE(contour(std::vector<double>{1, 1, 1, 1}, 2, 0.5).empty());
}

}  // namespace
}  // namespace atto
