#include "phenomena/claims/claim.h"

#include <cmath>

namespace atto {
namespace {

Estimate estimate_of(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  if (!claim.against) return summarise(first, claim.statistic);
  return claim.compare == Comparison::ratio ? summarise_ratio(first, second, claim.statistic)
                                            : summarise_difference(first, second, claim.statistic);
}

Verdict verdict_of(const Claim& claim, const Estimate& found) {
  Verdict verdict;
  verdict.seeds = found.seeds;
  verdict.missing = found.missing;
  verdict.censored = found.censored;
  verdict.diverged = found.diverged;
  verdict.note = found.obstacle;
  if (!verdict.note.empty()) return verdict;

  verdict.note = found.remark;
  if (!std::isnan(found.value)) verdict.estimate = found.value;
  else verdict.note = "the estimate is undefined (0/0 or a difference of infinities)";
  verdict.low = found.low;
  verdict.high = found.high;
  verdict.kind = classify(claim, {found.value, found.low, found.high});
  return verdict;
}

}  // namespace

VerdictKind classify(const Claim& claim, const Interval& interval) {
  if (interval.low >= claim.low && interval.high <= claim.high) return VerdictKind::supported;
  if (interval.high < claim.low || interval.low > claim.high) return VerdictKind::refuted;
  return VerdictKind::inconclusive;
}

Verdict judge(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  return verdict_of(claim, estimate_of(claim, first, second));
}

Verdict judge_pairs(const Claim& claim, const std::vector<PairedOutcomes>& cells) {
  return verdict_of(claim, claim.statistic == Statistic::correlation ? summarise_correlation(cells)
                                                                     : summarise_coincidence(cells, claim.within));
}

}  // namespace atto
