// Claims and verdicts. A claim fixes beforehand which statistic of which runs should fall into which region.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "math/statistics.h"
#include "phenomena/outcomes/pairs.h"

namespace atto {

enum class VerdictKind { supported, refuted, inconclusive };
template <>
struct EnumWords<VerdictKind> {
  static constexpr std::array words{"supported", "refuted", "inconclusive"};
};

// How two groups are compared: the first less the second, or over it.
enum class Comparison { difference, ratio };
template <>
struct EnumWords<Comparison> {
  static constexpr std::array words{"difference", "ratio"};
};

// Which cells of a sweep a claim speaks of: every listed key must have the listed value.
using CellFilter = std::vector<std::pair<std::string, Value>>;

struct Claim {
  std::string id;         // "S1.1-v10"
  std::string source;     // citation
  std::string statement;  // one sentence
  std::string published;  // the published value in words, shown beside the estimate; may be empty
  std::string quantity;   // "plateau.level": phenomenon name in the study, then a quantity of its detector
  Statistic statistic = Statistic::median;
  std::string with;     // of a statistic that takes pairs, the second quantity; else empty
  double within = 0.1;  // of a coincidence: the later step is at most 1 + this times the earlier
  CellFilter where;     // cells it speaks of (all seeds of all of them are pooled, except where pairs are taken)
  // Optional second group: the claim is then about a difference or a ratio (first against second) of the two groups'
  // statistic.
  std::optional<CellFilter> against;
  Comparison compare = Comparison::difference;  // only where `against` is set
  // A key tuned for each group before it is judged ("training.rate"), or empty: of the cells that differ in it, those
  // with the lowest median of the quantity over the first third of the seeds stand for the group, with their other
  // seeds.
  std::string tune;
  // What each run's value is divided by, or empty: a key ("data.vocab") or another quantity of the run
  // ("learnt.step").
  std::string relative_to;
  double low = 0, high = 0;  // the region, inclusive; infinities allowed
};

struct Verdict {
  VerdictKind kind = VerdictKind::inconclusive;
  std::optional<double> estimate, low, high;  // low/high may be infinite under censoring
  int64_t seeds = 0;                          // runs that the claim speaks of
  int64_t missing = 0;  // of these, runs that did not diverge and in which the quantity does not exist
  int64_t censored = 0;
  int64_t diverged = 0;
  std::string note;  // why inconclusive, when it is not the interval's doing; what the numbers alone do not say
};

// Supported when the whole 95 % interval lies inside the region, refuted when wholly outside, inconclusive otherwise.
// `second` is used only when claim.against is set.
Verdict judge(const Claim& claim, const Outcomes& first, const Outcomes& second = {});
// The same of a statistic that takes pairs, those of each cell by themselves.
Verdict judge_pairs(const Claim& claim, const std::vector<PairedOutcomes>& cells);
// Where an interval that was made elsewhere lies against the claim's region.
VerdictKind classify(const Claim& claim, const Interval& interval);

}  // namespace atto
