#include "lab/figures/geometry/thin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace atto {
namespace {

std::vector<double> counting(size_t size) {
  std::vector<double> x(size);
  for (size_t i = 0; i < size; ++i) x[i] = static_cast<double>(i);
  return x;
}

TEST(Thin, KeepsEverythingThatFits) {
  const std::vector<double> x = counting(5);
  EXPECT_EQ(thin(x, x, 5), (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(thin({}, {}, 5), std::vector<size_t>{});
}

TEST(Thin, KeepsTheEndsAndALoneSpike) {
  const std::vector<double> x = counting(1000);
  std::vector<double> y(1000, 1.0);
  y[617] = 50;
  const std::vector<size_t> kept = thin(x, y, 20);
  EXPECT_EQ(kept.size(), 20u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 999u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_NE(std::find(kept.begin(), kept.end(), 617u), kept.end());
}

// The point that makes the largest triangle with the one kept before it and the mean of the next stretch.
TEST(Thin, LooksAtTheMeanOfWhatFollows) {
  EXPECT_EQ(thin(counting(6), std::vector<double>{0, -0.6, 1.5, 3.5, 3.5, 0}, 4), (std::vector<size_t>{0, 1, 3, 5}));
}

TEST(Thin, LeavesOutWhatIsNotFinite) {
  const std::vector<double> x = counting(4);
  EXPECT_EQ(thin(x, std::vector<double>{1, NAN, INFINITY, 2}, 10), (std::vector<size_t>{0, 3}));
  EXPECT_TRUE(thin(x, std::vector<double>(4, NAN), 10).empty());
}

TEST(Evenly, HasBothEnds) {
  EXPECT_EQ(evenly(10, 4), (std::vector<size_t>{0, 3, 6, 9}));
  EXPECT_EQ(evenly(3, 10), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(evenly(7, 1), std::vector<size_t>{6}) << "one of several is the last";
  EXPECT_TRUE(evenly(0, 3).empty());
  EXPECT_TRUE(evenly(3, 0).empty());
}

}  // namespace
}  // namespace atto
