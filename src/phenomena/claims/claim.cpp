#include "phenomena/claims/claim.h"

#include <cmath>

namespace atto {
namespace {

Estimate estimate_of(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  if (!claim.against) return summarise(first, claim.statistic);
  return claim.compare == Comparison::ratio ? summarise_ratio(first, second, claim.statistic)
                                            : summarise_difference(first, second, claim.statistic);
}

}  // namespace

VerdictKind classify(const Claim& claim, const Interval& interval) {
  if (interval.low >= claim.low && interval.high <= claim.high) return VerdictKind::supported;
  if (interval.high < claim.low || interval.low > claim.high) return VerdictKind::refuted;
  return VerdictKind::inconclusive;
}

Verdict judge(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  const Estimate found = estimate_of(claim, first, second);
  Verdict verdict;
  verdict.seeds = found.seeds;
  verdict.missing = found.missing;
  verdict.censored = found.censored;
  verdict.diverged = found.diverged;
  verdict.note = found.obstacle;
  if (!verdict.note.empty()) return verdict;

  if (!std::isnan(found.value)) verdict.estimate = found.value;
  else verdict.note = "the estimate is undefined (0/0 or a difference of infinities)";
  verdict.low = found.low;
  verdict.high = found.high;
  verdict.kind = classify(claim, {found.value, found.low, found.high});
  return verdict;
}

}  // namespace atto
