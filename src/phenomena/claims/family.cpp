#include "phenomena/claims/family.h"

#include <algorithm>

namespace atto {

void adjust_family(std::span<Verdict* const> family, double level) {
  std::vector<Verdict*> order(family.begin(), family.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const Verdict* a, const Verdict* b) { return a->error.value_or(1) < b->error.value_or(1); });
  bool stands = true;
  for (size_t k = 0; k < order.size(); ++k) {
    Verdict& one = *order[k];
    stands = stands && one.error.value_or(1) <= level / static_cast<double>(order.size() - k);
    one.adjusted = stands ? one.kind : VerdictKind::inconclusive;
  }
}

}  // namespace atto
