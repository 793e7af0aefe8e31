#include "lab/sweep/packs.h"

#include <algorithm>

namespace atto {
namespace {

constexpr double kEnough = 64;  // packs, where they are neither too short nor too long then

}  // namespace

std::vector<Pack> packs_of(const std::vector<PendingRun>& pending, double seconds_of_cost, const PackLength& length) {
  double all = 0;
  for (const PendingRun& one : pending) all += one.cost;
  double wanted = all / kEnough, most = all;
  if (seconds_of_cost > 0) {
    most = std::max(length.least, length.most) / seconds_of_cost;
    wanted = std::clamp(wanted, length.least / seconds_of_cost, most);
  }
  std::vector<Pack> packs;
  for (const PendingRun& one : pending) {
    const double cost =
        packs.empty() ? 0 : packs.back().cost;  // the pack ends on the side that is nearer to its length
    if (packs.empty() || cost + one.cost / 2 > wanted || cost + one.cost > most) packs.emplace_back();
    packs.back().runs.push_back(one.run);
    packs.back().cost += one.cost;
  }
  return packs;
}

}  // namespace atto
