#include "phenomena/claims/claim.h"

#include <algorithm>

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

bool same_number(const Claim& a, const Claim& b) {
  const bool compares = a.against || (a.statistic == Statistic::fit && !a.with.empty());
  return a.quantity == b.quantity && a.statistic == b.statistic && a.with == b.with && a.given == b.given &&
         a.by == b.by && (a.statistic != Statistic::coincidence || a.within == b.within) &&
         same_cells(a.where, b.where) && same_cells(a.against, b.against) && same_contrast(a.than, b.than) &&
         a.pool == b.pool && (!compares || (a.compare == b.compare && a.paired == b.paired)) && a.tune == b.tune &&
         a.relative_to == b.relative_to;
}

}  // namespace atto
