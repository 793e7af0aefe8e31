// Runs that go where they tell most find a contour with fewer of them.
#include "lab/explore/next_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"

namespace atto {
namespace {

constexpr int kSide = 12;

// A share that falls from 1 to 0 across a slanted line, over about three cells.
double share_at(int64_t x, int64_t y) {
  return 1 / (1 + std::exp(2.0 * (static_cast<double>(x) + 0.5 * static_cast<double>(y) - 8.3)));
}

std::vector<SampledCell> plane() {
  std::vector<SampledCell> cells;
  for (int64_t x = 0; x < kSide; ++x)
    for (int64_t y = 0; y < kSide; ++y) cells.push_back({x, y, 0, 0});
  return cells;
}

void draw(SampledCell& cell, std::mt19937& random) {
  ++cell.runs;
  cell.yes += std::uniform_real_distribution<>(0, 1)(random) < share_at(cell.x, cell.y);
}

// Cells whose decision is there and right.
int decided_rightly(const std::vector<SampledCell>& cells) {
  const LevelSet set = explore_level(cells, 0.5);
  int count = 0;
  for (size_t i = 0; i < cells.size(); ++i)
    count += set.sides[i] == (share_at(cells[i].x, cells[i].y) > 0.5 ? CellSide::above : CellSide::below);
  return count;
}

TEST(NextCells, AreThoseAtTheContour) {
  std::vector<SampledCell> cells = plane();
  for (SampledCell& cell : cells) {
    cell.runs = 4;
    cell.yes = std::lround(4 * share_at(cell.x, cell.y));
  }
  const LevelSet set = explore_level(cells, 0.5);
  ASSERT_EQ(set.order.size(), cells.size()) << "four runs decide nothing";
  for (size_t i = 0; i < 10; ++i) {
    const SampledCell& cell = cells[set.order[i]];
    EXPECT_LT(std::abs(static_cast<double>(cell.x) + 0.5 * static_cast<double>(cell.y) - 8.3), 1.5) << i;
  }
}

// Cells without neighbours are judged by their own runs alone, yes and no alike.
TEST(NextCells, AreThoseWhoseRunsAreDivided) {
  EXPECT_EQ(explore_level({{0, 0, 4, 4}, {9, 0, 2, 4}, {18, 0, 0, 4}}, 0.5).order.front(), 1u);
  EXPECT_EQ(explore_level({{0, 0, 0, 4}, {9, 0, 2, 4}, {18, 0, 4, 4}}, 0.5).order.front(), 1u);
  EXPECT_EQ(explore_level({{0, 0, 3, 6}, {9, 0, 1, 2}}, 0.5).order.front(), 1u) << "the fewer runs, the less is known";
}

// A cell without runs is believed to be like its neighbours.
TEST(NextCells, AreThoseBetweenNeighboursThatDiffer) {
  // Five cells in a row and far from it five others, of which every second one has runs.
  std::vector<SampledCell> cells;
  for (int64_t x = 0; x < 5; ++x) cells.push_back({x, 0, x % 2 == 0 ? 2 : 0, x % 2 == 0 ? 2 : 0});
  for (int64_t x = 0; x < 5; ++x) cells.push_back({x, 9, x == 0 ? 2 : 0, x % 2 == 0 ? 2 : 0});
  const std::vector<size_t> order = explore_level(cells, 0.5).order;
  EXPECT_EQ(order.front(), 6u) << "between one that says yes and one that says no";
}

TEST(NextCells, DecideMoreCellsThanTheSameRunsSpreadEvenly) {
  constexpr int kRounds = 20;
  int guided = 0, even = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    std::vector<SampledCell> chosen = plane(), spread = plane();
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<size_t> order = explore_level(chosen, 0.5).order;
      for (size_t i = 0; i < chosen.size() && !order.empty(); ++i) draw(chosen[order[i % order.size()]], random);
      for (SampledCell& cell : spread) draw(cell, random);
    }
    guided += decided_rightly(chosen);
    even += decided_rightly(spread);
  }
  EXPECT_GT(guided, even + 20) << even;
}

TEST(NextCells, SayNothingTwiceAboutDecidedOnes) {
  std::vector<SampledCell> cells = {{0, 0, 40, 40}, {1, 0, 20, 40}, {2, 0, 0, 40}};
  const LevelSet set = explore_level(cells, 0.5);
  EXPECT_EQ(set.order, (std::vector<size_t>{1}));
  EXPECT_EQ(set.sides, (std::vector{CellSide::above, CellSide::open, CellSide::below}));
  EXPECT_TRUE(explore_level({}, 0.5).order.empty());
}

TEST(NextCells, RefuseNonsense) {
  EXPECT_THROW(explore_level({{0, 0, 3, 2}}, 0.5), Error);
  EXPECT_THROW(explore_level({{0, 0, -1, 2}}, 0.5), Error);
  EXPECT_THROW(explore_level({{0, 0, 1, 2}}, 0), Error);
}

}  // namespace
}  // namespace atto
