#include "phenomena/claims/claim.h"

#include <algorithm>
#include <cmath>

namespace atto {
namespace {

// The order in which a filter names its keys does not matter.
bool same_cells(CellFilter a, CellFilter b) {
  const auto by_key = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::sort(a.begin(), a.end(), by_key);
  std::sort(b.begin(), b.end(), by_key);
  return a == b;
}

bool same_cells(const std::optional<CellFilter>& a, const std::optional<CellFilter>& b) {
  return a.has_value() == b.has_value() && (!a || same_cells(*a, *b));
}

bool same_contrast(const std::optional<Contrast>& a, const std::optional<Contrast>& b) {
  return a.has_value() == b.has_value() &&
         (!a || (same_cells(a->where, b->where) && same_cells(a->against, b->against)));
}

}  // namespace

std::string region_fault(const Claim& claim) {
  if (std::isnan(claim.low) || std::isnan(claim.high)) return "an end of the region is not a number";
  if (claim.low > claim.high || (claim.low == claim.high && (claim.low_open || claim.high_open)))
    return "region is empty: its low end is above its high end";
  if (claim.low == -INFINITY && claim.high == INFINITY) return "region holds every number, so nothing is claimed";
  const bool is_share = claim.statistic == Statistic::rate && !claim.against;
  if (is_share && (claim.low > 1 || claim.high < 0)) return "a rate lies between 0 and 1, outside this region";
  if (takes_pairs(claim.statistic) && (claim.low > 1 || claim.high < -1))
    return std::string("a ") + to_word(claim.statistic) + " lies between -1 and 1, outside this region";
  if (claim.margin && (!(*claim.margin > 0) || !std::isfinite(*claim.margin)))
    return "margin must be a positive number: how near to an end of the region makes no difference";
  return "";
}

bool same_number(const Claim& a, const Claim& b) {
  const bool compares = a.against || (a.statistic == Statistic::fit && !a.with.empty());
  return a.quantity == b.quantity && a.statistic == b.statistic && a.with == b.with && a.given == b.given &&
         a.by == b.by && (a.statistic != Statistic::coincidence || a.within == b.within) &&
         same_cells(a.where, b.where) && same_cells(a.against, b.against) && same_contrast(a.than, b.than) &&
         a.pool == b.pool && (!compares || (a.compare == b.compare && a.paired == b.paired)) && a.tune == b.tune &&
         a.relative_to == b.relative_to;
}

}  // namespace atto
