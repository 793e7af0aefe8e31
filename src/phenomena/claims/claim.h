// Claims: a claim fixes beforehand which statistic of which runs should fall into which region.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "phenomena/claims/provenance.h"
#include "phenomena/claims/region.h"
#include "phenomena/outcomes/compare.h"

namespace atto {

template <>
struct EnumWords<VerdictKind> {
  static constexpr std::array words{"supported", "refuted", "inconclusive"};
};

// What a claim about several cells says: that it holds in every one of them, or of the median over them, each cell one
// value. Their seeds are never thrown together: runs of a cell share what the cell does to them.
enum class Pool { every, cells };
template <>
struct EnumWords<Pool> {
  static constexpr std::array words{"every", "cells"};
};

// Which cells of a sweep a claim speaks of: every listed key must have the listed value.
using CellFilter = std::vector<std::pair<std::string, Value>>;

// A second comparison that the first is set against.
struct Contrast {
  CellFilter where, against;
};

struct Claim {
  std::string id;         // "S1.1-v10"
  std::string source;     // citation
  std::string statement;  // one sentence
  std::string published;  // the published value in words, shown beside the estimate; may be empty
  std::string quantity;   // "plateau.level": phenomenon name in the study, then a quantity of its detector
  Statistic statistic = Statistic::median;
  // Of a statistic that takes pairs, the second quantity; of a fit, the number it is compared with; else empty.
  std::string with;
  double within = 0.1;       // of a coincidence: the later step is at most 1 + this times the earlier
  std::string given;         // a yes-or-no quantity: the claim is about the runs that show it; empty: about all
  std::optional<double> by;  // of a rate of a quantity that is a step: the share of runs where it came by this one
  CellFilter where;          // cells it speaks of
  Pool pool = Pool::every;   // what it says of them where they are several
  // Optional second group: the claim is then about a difference or a ratio (first against second) of the two groups'
  // statistic, seed by seed where both have the same seeds.
  std::optional<CellFilter> against;
  Comparison compare = Comparison::difference;  // only where `against` is set
  // A difference of differences, or a ratio of ratios: first against second, set against these two.
  std::optional<Contrast> than;
  std::optional<bool> paired;  // false: the groups are compared as wholes although they share their seeds
  // A key tuned for each group before it is judged ("training.rate"), or empty: of the cells that differ in it, those
  // with the lowest median of the quantity over the first third of the seeds stand for the group, with their other
  // seeds.
  std::string tune;
  // What each run's value is divided by, or empty: a key ("data.vocab") or another quantity of the run
  // ("learnt.step").
  std::string relative_to;
  double low = 0, high = 0;                  // the region; infinities allowed
  bool low_open = false, high_open = false;  // its ends do not belong to it: `above` and `below`
  // So near to an end of the region that it makes no difference: an interval within this of the end is not worth more
  // seeds.
  std::optional<double> margin;
  bool headline = false;  // one of the few that answer for their source
  Provenance provenance;  // not part of the question
  std::string place;      // "studies/sticky-plateau.toml:66": where it was written; empty for one that was not read

  Region region() const { return {low, high, low_open, high_open}; }
};

// What is wrong with the region or the margin of a claim whose statistic and groups are known; "" where nothing is.
std::string region_fault(const Claim& claim);

// Do two claims of one study ask for the same number, and differ in nothing but the region they expect it in?
bool same_number(const Claim& a, const Claim& b);

}  // namespace atto
