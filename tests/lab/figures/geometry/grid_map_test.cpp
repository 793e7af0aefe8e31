#include "lab/figures/geometry/grid_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

GridMap plane() {
  GridMap map{{0, 1, 2}, {0, 2, 4, 6}, {}};
  for (const double row : map.row_at)
    for (const double column : map.column_at) map.values.push_back(10 * row + column);
  return map;
}

TEST(GridMap, APlaneIsThePlaneOnACoarserGrid) {
  const GridMap coarse = plane().resampled(2);
  EXPECT_EQ(coarse.row_at, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(coarse.column_at, (std::vector<double>{1.5, 4.5}));
  EXPECT_EQ(coarse.values, (std::vector<double>{6.5, 9.5, 16.5, 19.5}));
}

TEST(GridMap, ACellNextToNothingIsNothing) {
  GridMap map = plane();
  map.values[0] = NAN;
  const GridMap coarse = map.resampled(2);
  EXPECT_TRUE(std::isnan(coarse.values[0]));
  EXPECT_EQ(coarse.values[1], 9.5);
  EXPECT_EQ(coarse.values[3], 19.5);
}

TEST(ThinPath, KeepsWhatIsFarEnoughApartAndBothEnds) {
  const std::vector<double> x = {0, 1, 2, 3, 4, NAN, 5, 5.5}, y = {0, 0, 0, 0, 30, 0, 30, 30};
  EXPECT_EQ(thin_path(x, y, 10, 100, 0.2), (std::vector<size_t>{0, 2, 4, 7}));
  EXPECT_EQ(thin_path(x, y, 10, 100, 0), (std::vector<size_t>{0, 1, 2, 3, 4, 6, 7}));
  EXPECT_TRUE(thin_path(std::vector<double>{NAN}, std::vector<double>{0}, 1, 1, 0).empty());
}

}  // namespace
}  // namespace atto
