#include "phenomena/claims/claim.h"

#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

Estimate estimate_of(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  if (!claim.against) return summarise(first, claim.statistic);
  if (claim.compare == "difference") return summarise_difference(first, second, claim.statistic);
  if (claim.compare == "ratio") return summarise_ratio(first, second, claim.statistic);
  throw Error(ErrorKind::config, "claim " + claim.id + ": compare = \"" + claim.compare + "\" is not allowed",
              "use \"difference\" or \"ratio\"");
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

std::string to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::supported:
      return "supported";
    case VerdictKind::refuted:
      return "refuted";
    case VerdictKind::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

}  // namespace atto
