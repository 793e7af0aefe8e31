#include "lab/explore/next_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

// What a cell is believed to show before its own runs: Jeffreys' prior, and what its neighbours showed, of each the
// share of so many runs at most. A contour is a line, so neighbours are alike except along it.
constexpr double kPrior = 0.5, kNeighbour = 0.5;

struct Belief {
  double yes = kPrior, no = kPrior;

  void add(const SampledCell& cell, double most) {
    if (cell.runs == 0) return;
    const auto runs = static_cast<double>(cell.runs), shares = std::min(runs, most);
    yes += static_cast<double>(cell.yes) / runs * shares;
    no += static_cast<double>(cell.runs - cell.yes) / runs * shares;
  }
  double mean() const { return yes / (yes + no); }
  double deviation() const { return std::sqrt(yes * no / ((yes + no) * (yes + no) * (yes + no + 1))); }
};

// "Straddle" (Bryan et al. 2005): how far the level lies within what is believed of the cell.
double straddle(const Belief& belief, double level) {
  return 1.96 * belief.deviation() - std::abs(belief.mean() - level);
}

void check(const SampledCell& cell) {
  constexpr int64_t kMost = 1'000'000'000;
  const bool placed = std::abs(cell.x) <= kMost && std::abs(cell.y) <= kMost;
  if (!placed || cell.yes < 0 || cell.runs < cell.yes || cell.runs > kMost)
    throw Error(ErrorKind::usage,
                "a cell of " + std::to_string(cell.runs) + " runs of which " + std::to_string(cell.yes) + " say yes",
                "give each cell its place, its runs and how many of them say yes");
}

CellSide side_of(const SampledCell& cell, double level, double tolerance) {
  const Interval share = share_sequence(cell.yes, cell.runs);
  const bool above = share.low > level - tolerance, below = share.high < level + tolerance;
  if (above && below) return share.estimate >= level ? CellSide::above : CellSide::below;
  if (above) return CellSide::above;
  return below ? CellSide::below : CellSide::open;
}

}  // namespace

LevelSet explore_level(const std::vector<SampledCell>& cells, double level, double tolerance) {
  if (!(level > 0 && level < 1))
    throw Error(ErrorKind::usage, "a contour lies at a share between 0 and 1", "0.5 is where half of the runs show it");
  std::map<std::pair<int64_t, int64_t>, const SampledCell*> places;
  for (const SampledCell& cell : cells) {
    check(cell);
    places[{cell.x, cell.y}] = &cell;
  }
  LevelSet set;
  std::vector<double> scores;
  for (const SampledCell& cell : cells) {
    Belief belief;
    belief.add(cell, static_cast<double>(cell.runs));
    for (int64_t dx = -1; dx <= 1; ++dx)
      for (int64_t dy = -1; dy <= 1; ++dy)
        if (const auto near = places.find({cell.x + dx, cell.y + dy}); (dx != 0 || dy != 0) && near != places.end())
          belief.add(*near->second, kNeighbour);
    scores.push_back(straddle(belief, level));
    set.sides.push_back(side_of(cell, level, tolerance));
  }
  for (size_t i = 0; i < cells.size(); ++i)
    if (set.sides[i] == CellSide::open) set.order.push_back(i);
  std::stable_sort(set.order.begin(), set.order.end(), [&](size_t a, size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : cells[a].runs < cells[b].runs;
  });
  return set;
}

}  // namespace atto
