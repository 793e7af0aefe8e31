// The axis of measured over fitted times: as far as what is drawn, and no further.
#include "lab/figures/numbers/law_cells.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

// A cell whose law says 10 steps.
LawCell cell_of(double low, double reached, double high, double largest) {
  LawCell cell;
  cell.predicted = 10;
  cell.time.value = cell.time.reached = reached;
  cell.time.low = low;
  cell.time.high = high;
  cell.time.largest = largest;
  return cell;
}

Json ticks(const std::vector<LawCell>& cells) {
  LawCells all;
  all.cells = cells;
  return ratio_axis(all)["axis"]["values"];
}

TEST(RatioAxis, ReachesAsFarToBothSidesAsTheFarthestOfBoth) {
  EXPECT_EQ(ticks({cell_of(9.9, 10, 10.1, 10.1)}), (Json{1 / 1.02, 1.0, 1.02})) << "the narrowest there is";
  EXPECT_EQ(ticks({cell_of(4, 10, 11, 11)}), (Json{1 / 3.0, 1.0, 3.0}));
  EXPECT_EQ(ticks({cell_of(10, 10, 10, 10), cell_of(9, 10, 25, 25)}), (Json{1 / 3.0, 1.0, 3.0}));
  EXPECT_EQ(ticks({cell_of(10, 20, 20, 20)}), (Json{1 / 2.0, 1.0, 2.0})) << "a ratio of 2 is at the end of its axis";
}

// An open interval is drawn up to the largest time that was seen, any other without the seeds beyond it.
TEST(RatioAxis, EndsWhereIntervalsAreDrawnToEnd) {
  EXPECT_EQ(ticks({cell_of(9, 10, INFINITY, 40)}), (Json{1 / 5.0, 1.0, 5.0}));
  EXPECT_EQ(ticks({cell_of(9, 10, 11, 40)}), (Json{1 / 1.2, 1.0, 1.2}));
}

TEST(RatioAxis, LeavesOutWhatHasNoPlaceOnIt) {
  EXPECT_EQ(ticks({cell_of(0, 10, 10, 10)}), (Json{1 / 1.02, 1.0, 1.02}));
}

TEST(RatioAxis, HasAMarginBeyondItsLastTicks) {
  LawCells all;
  all.cells = {cell_of(5, 10, 20, 20)};
  const Json domain = ratio_axis(all)["scale"]["domain"];
  EXPECT_LT(domain[0], 0.5);
  EXPECT_GT(domain[1], 2);
  EXPECT_NEAR(domain[0].get<double>() * domain[1].get<double>(), 1, 1e-12) << "alike to both sides";
}

}  // namespace
}  // namespace atto
