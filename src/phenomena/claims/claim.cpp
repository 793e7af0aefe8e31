#include "phenomena/claims/claim.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace atto {
namespace {

// What one group of runs has to offer to a statistic.
struct Group {
  std::vector<double> values;    // a censored one is +infinity: later than anything seen
  std::vector<double> at_least;  // the same, a censored one at the value it was cut off at
  Share share;                   // non-zero among all runs
  int64_t undecided = 0;         // of the others, runs that ended too early to tell (0, but censored)
  int64_t censored = 0, missing = 0, diverged = 0;
};

Group gather(const std::vector<ClaimSample>& samples) {
  Group group;
  group.share.trials = std::ssize(samples);
  for (const ClaimSample& sample : samples) {
    const bool exists = sample.value && !std::isnan(*sample.value);
    if (sample.diverged) ++group.diverged;
    else if (!exists) ++group.missing;
    if (!exists) continue;
    if (*sample.value != 0) ++group.share.successes;
    else if (sample.censored) ++group.undecided;
    if (sample.censored) ++group.censored;
    group.at_least.push_back(*sample.value);
    group.values.push_back(sample.censored ? std::numeric_limits<double>::infinity() : *sample.value);
  }
  return group;
}

int64_t usable(const Group& group, Statistic statistic) {
  return statistic == Statistic::rate ? group.share.trials : std::ssize(group.values);
}

constexpr double kConfidence = 0.95;

// The share if every undecided run were to show it yet.
Share at_most(const Group& group) {
  Share share = group.share;
  share.successes += group.undecided;
  return share;
}

// From the low end when no undecided run ever shows it to the high end when all do.
Interval rate_interval(const Group& group) {
  const Interval seen = wilson(group.share.successes, group.share.trials, kConfidence);
  return {seen.estimate, seen.low, wilson(at_most(group).successes, group.share.trials, kConfidence).high};
}

Interval interval_of(Statistic statistic, const Group& group) {
  switch (statistic) {
    case Statistic::rate:
      return rate_interval(group);
    case Statistic::median:
      return {quantile(group.values, 0.5), median_interval(group.at_least, kConfidence).low,
              median_interval(group.values, kConfidence).high};
    case Statistic::mean:
      return mean_interval(group.values);
    case Statistic::fit:
      break;  // no statistic of a group of runs
  }
  throw Error(ErrorKind::internal, "a statistic without an interval");
}

Interval interval_of(Statistic statistic, const Group& first, const Group& second, bool ratio) {
  if (statistic == Statistic::rate) {
    const auto compare = ratio ? share_ratio : share_difference;
    const Interval seen = compare(first.share, second.share, kConfidence);
    return {seen.estimate, compare(first.share, at_most(second), kConfidence).low,
            compare(at_most(first), second.share, kConfidence).high};
  }
  const auto centre = [&](std::span<const double> values) {
    if (statistic == Statistic::median) return quantile(values, 0.5);
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  return bootstrap(first.values, second.values, [&](std::span<const double> a, std::span<const double> b) {
    return ratio ? centre(a) / centre(b) : centre(a) - centre(b);
  });
}

// Why no interval can be had at all, or "".
std::string obstacle(const Claim& claim, const std::vector<const Group*>& groups) {
  for (const Group* group : groups) {
    if (group->share.trials == 0) return "there are no runs";
    const int64_t count = usable(*group, claim.statistic);
    if (count < kFewestValues)
      return "only " + std::to_string(count) + " of " + std::to_string(group->share.trials) +
             " runs have a value; at least " + std::to_string(kFewestValues) + " are needed";
    if (claim.statistic == Statistic::mean && group->censored > 0)
      return "a mean cannot take in the " + std::to_string(group->censored) + " censored values; the median can";
  }
  return "";
}

}  // namespace

VerdictKind classify(const Claim& claim, const Interval& interval) {
  if (interval.low >= claim.low && interval.high <= claim.high) return VerdictKind::supported;
  if (interval.high < claim.low || interval.low > claim.high) return VerdictKind::refuted;
  return VerdictKind::inconclusive;
}

Verdict judge(const Claim& claim, const std::vector<ClaimSample>& first, const std::vector<ClaimSample>& second) {
  const bool compares = claim.against.has_value();
  if (compares && claim.compare != "difference" && claim.compare != "ratio")
    throw Error(ErrorKind::config, "claim " + claim.id + ": compare = \"" + claim.compare + "\" is not allowed",
                "use \"difference\" or \"ratio\"");
  const Group one = gather(first), other = gather(second);
  std::vector<const Group*> groups = {&one};
  if (compares) groups.push_back(&other);

  Verdict verdict;
  for (const Group* group : groups) {
    verdict.seeds += group->share.trials;
    verdict.missing += group->missing;
    verdict.censored += group->censored;
    verdict.diverged += group->diverged;
  }
  verdict.note = obstacle(claim, groups);
  if (!verdict.note.empty()) return verdict;

  const Interval interval =
      compares ? interval_of(claim.statistic, one, other, claim.compare == "ratio") : interval_of(claim.statistic, one);
  if (!std::isnan(interval.estimate)) verdict.estimate = interval.estimate;
  else verdict.note = "the estimate is undefined (0/0 or a difference of infinities)";
  verdict.low = interval.low;
  verdict.high = interval.high;
  verdict.kind = classify(claim, interval);
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

std::string to_string(Statistic statistic) {
  switch (statistic) {
    case Statistic::rate:
      return "rate";
    case Statistic::median:
      return "median";
    case Statistic::mean:
      return "mean";
    case Statistic::fit:
      return "fit";
  }
  return "unknown";
}

}  // namespace atto
