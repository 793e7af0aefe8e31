// What a verdict says beyond its interval: how small an error would still give the same decision, the interval that
// holds at every look, and, of an open claim, why it is open.
#include <algorithm>
#include <cmath>
#include <functional>

#include "math/statistics.h"
#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

constexpr double kLeastError = 1e-9;      // smaller ones are not looked for
constexpr double kLargestError = 0.5;     // nor are larger ones
constexpr double kFarTooMany = 10;        // times the seeds: then the truth is as good as on the edge
constexpr int kHalvings = 20;             // of the logarithm of the error
constexpr double kHardlyAnyLevel = 1e-3;  // an interval so unsure has no room but for what is unknown
constexpr double kMuchOfInterval = 0.25;  // that is left open by what is unknown: then more seeds are not what it lacks

using JudgeAt = std::function<Verdict(const Certainty&)>;

// Where the decision falls: by halving between kLeastError and the error asked for, at which it stands. Shares are
// judged by exact intervals then. A decision that falls with these at once has a larger error than was asked for.
double least_error(const JudgeAt& judge_at, const Certainty& certainty, VerdictKind decided) {
  const auto stands = [&](double error) {
    Certainty stricter = certainty;
    stricter.level = 1 - error;
    stricter.exact_shares = true;
    return judge_at(stricter).kind == decided;
  };
  double low = std::log(kLeastError), high = std::log(1 - certainty.level);
  if (stands(std::exp(low))) return kLeastError;
  if (!stands(std::exp(high))) {
    if (!stands(kLargestError)) return 1;
    low = high;
    high = std::log(kLargestError);
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (stands(std::exp(middle)) ? high : low) = middle;
  }
  return std::exp(high);
}

// The share of a rate that all of n runs would have to show for a decision: is there any?
bool any_rate_decides(const Claim& claim, int64_t n, const Certainty& certainty) {
  for (int64_t yes = 0; yes <= n; ++yes)
    if (claim.region().classify(share_interval(yes, n, certainty)) == VerdictKind::supported) return true;
  return false;
}

// So many runs that an outcome of them supports the claim: the share that is farthest from the ends of the region.
// About: from one try to the next the runs grow by a tenth.
std::optional<int64_t> runs_that_decide(const Claim& claim, int64_t n, const Certainty& certainty) {
  constexpr int64_t kMostRuns = 1'000'000;
  const double best = claim.low <= 0 ? 0 : claim.high >= 1 ? 1 : (claim.low + claim.high) / 2;
  for (int64_t runs = n + 1; runs <= kMostRuns; runs += std::max<int64_t>(1, runs / 10)) {
    const auto yes = static_cast<int64_t>(std::round(best * static_cast<double>(runs)));
    if (claim.region().classify(share_interval(yes, runs, certainty)) == VerdictKind::supported) return runs;
  }
  return std::nullopt;
}

// What an interval shrinks to with ever more runs like these: the estimate, or all that unknown answers allow.
struct Limits {
  double low = 0, high = 0;
};

Limits limits_of(const Verdict& verdict, const JudgeAt* judge_at) {
  Limits limits{*verdict.estimate, *verdict.estimate};
  if (judge_at == nullptr || verdict.censored + verdict.missing + verdict.diverged == 0) return limits;
  const Verdict unsure = (*judge_at)({.level = kHardlyAnyLevel});
  if (!unsure.low) return limits;
  return {std::min(limits.low, *unsure.low), std::max(limits.high, *unsure.high)};
}

// Is it what is unknown that keeps the claim open, however many runs like these there were?
bool kept_open_by_unknown(const Claim& claim, const Verdict& verdict, const Limits& limits) {
  return claim.region().classify({*verdict.estimate, limits.low, limits.high}) == VerdictKind::inconclusive &&
         limits.high - limits.low >= kMuchOfInterval * (*verdict.high - *verdict.low);
}

// By how many times the interval must shrink, squared: the seeds that would decide it if the estimate stayed. What is
// unknown stays as it is, so each end shrinks to its limit only.
double times_needed(const Claim& claim, const Verdict& verdict, const Limits& limits) {
  const double estimate = *verdict.estimate;
  double worst = 0;
  const auto need = [&](double edge) {
    if (!std::isfinite(edge)) return;
    const bool above = estimate > edge;
    if (above ? *verdict.low > edge : *verdict.high < edge) return;
    const double distance = above ? limits.low - edge : edge - limits.high;
    const double shrinks = above ? limits.low - *verdict.low : *verdict.high - limits.high;
    worst = std::max(worst, distance > 0 ? shrinks / distance : INFINITY);
  };
  // Inside, both ends must come clear; outside, the nearer one.
  if (claim.region().contains(estimate)) {
    need(claim.low);
    need(claim.high);
  } else {
    need(estimate < claim.low ? claim.low : claim.high);
  }
  return worst * worst;
}

bool within_margin(const Claim& claim, const Verdict& verdict) {
  if (!claim.margin || !verdict.low) return false;
  const auto close = [&](double edge) {
    return std::isfinite(edge) && *verdict.low >= edge - *claim.margin && *verdict.high <= edge + *claim.margin;
  };
  return close(claim.low) || close(claim.high);
}

void explain(const Claim& claim, const JudgeAt* judge_at, Verdict& verdict) {
  verdict.reason = OpenReason::none;
  if (verdict.kind != VerdictKind::inconclusive) return;
  if (!verdict.low) {
    verdict.reason = OpenReason::few;
    return;
  }
  bool open_end = std::isinf(*verdict.low) || std::isinf(*verdict.high);
  if (!open_end && verdict.estimate && std::isfinite(*verdict.estimate)) {
    const Limits limits = limits_of(verdict, judge_at);
    open_end = kept_open_by_unknown(claim, verdict, limits);
    if (!open_end) verdict.needed = times_needed(claim, verdict, limits);
  }
  verdict.within_margin = within_margin(claim, verdict);
  if (verdict.within_margin) verdict.reason = OpenReason::edge;
  else if (open_end && verdict.censored > 0) verdict.reason = OpenReason::cut_off;
  else if (open_end && verdict.missing + verdict.diverged > 0) verdict.reason = OpenReason::unknown;
  else if (open_end) verdict.reason = OpenReason::budget;  // too few runs for an interval
  else if (verdict.needed && *verdict.needed > kFarTooMany) verdict.reason = OpenReason::edge;
  else verdict.reason = OpenReason::budget;
}

// Under looks the interval that holds at all of them decides; the ordinary one stays beside it.
Verdict complete(const Claim& claim, const JudgeAt& judge_at, const Certainty& certainty) {
  Verdict deciding = judge_at(certainty);
  if (deciding.kind != VerdictKind::inconclusive) deciding.error = least_error(judge_at, certainty, deciding.kind);
  explain(claim, &judge_at, deciding);
  if (!certainty.anytime) return deciding;
  Certainty once = certainty;
  once.anytime = false;
  const Verdict plain = judge_at(once);
  deciding.rests_on = has_anytime_interval(claim, deciding.paired) ? RestsOn::anytime : RestsOn::planned;
  deciding.anytime_low = deciding.low;
  deciding.anytime_high = deciding.high;
  deciding.low = plain.low;
  deciding.high = plain.high;
  return deciding;
}

// Two of n! orders are perfect, whatever a normal tail says. Cells count as one of their mean size.
double least_chance_of_order(const PairedEvidence& evidence) {
  double runs = 0;
  for (const PairedOutcomes& cell : evidence.cells) runs += static_cast<double>(cell.first.size());
  return std::min(1.0, 2 / std::tgamma(runs / static_cast<double>(std::max<size_t>(evidence.cells.size(), 1)) + 1));
}

}  // namespace

bool has_anytime_interval(const Claim& claim, bool paired) {
  if (claim.statistic != Statistic::median && claim.statistic != Statistic::rate) return false;
  if (!claim.against) return true;
  return paired && (claim.statistic == Statistic::median || claim.compare == Comparison::difference);
}

Verdict complete_verdict(const Claim& claim, const Evidence& evidence, const Certainty& certainty) {
  Verdict verdict = complete(
      claim, [&](const Certainty& at) { return judge(claim, evidence, at); }, certainty);
  if (has_anytime_interval(claim, verdict.paired) && !certainty.anytime) {
    Certainty always = certainty;
    always.anytime = true;
    const Verdict lasting = judge(claim, evidence, always);
    verdict.anytime_low = lasting.low;
    verdict.anytime_high = lasting.high;
  }
  if (verdict.kind != VerdictKind::inconclusive || claim.statistic != Statistic::rate || claim.against ||
      evidence.cells.size() != 1)
    return verdict;
  const auto runs = std::ssize(evidence.cells.front().first);
  if (any_rate_decides(claim, runs, certainty)) return verdict;
  verdict.reason = OpenReason::undecidable;
  verdict.enough = runs_that_decide(claim, runs, certainty);
  return verdict;
}

Verdict complete_verdict(const Claim& claim, const PairedEvidence& evidence, const Certainty& certainty) {
  Verdict verdict = complete(
      claim, [&](const Certainty& at) { return judge_pairs(claim, evidence, at); }, certainty);
  if (claim.statistic == Statistic::correlation && verdict.error)
    verdict.error = std::max(*verdict.error, least_chance_of_order(evidence));
  return verdict;
}

void complete_from_interval(const Claim& claim, const Certainty& certainty, double freedom, Verdict& verdict) {
  explain(claim, nullptr, verdict);
  if (verdict.kind == VerdictKind::inconclusive || !verdict.estimate) return;
  // The distance of the estimate to the end that the decision rests on, in the interval's own units: half of it is the
  // t of its level. At an early look only a part of the error may be spent, so what is spent there counts for more.
  const double level = certainty.spent_level(), estimate = *verdict.estimate;
  const double t_of_half = student_quantile(freedom, 0.5 + level / 2);
  const auto error_at = [&](double edge) {
    const double half = estimate > edge ? estimate - *verdict.low : *verdict.high - estimate;
    if (!std::isfinite(edge)) return kLeastError;
    const double t = half > 0 ? t_of_half * std::abs(estimate - edge) / half : INFINITY;
    const double spent = std::isfinite(t) ? 2 * student_tail(freedom, t) : 0;
    return std::max(kLeastError, spent * (1 - certainty.level) / (1 - level));
  };
  if (verdict.kind == VerdictKind::supported) verdict.error = std::max(error_at(claim.low), error_at(claim.high));
  else verdict.error = error_at(estimate < claim.low ? claim.low : claim.high);
}

}  // namespace atto
