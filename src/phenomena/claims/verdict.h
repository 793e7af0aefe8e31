// Verdicts: what the runs say of a claim.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phenomena/claims/claim.h"
#include "phenomena/outcomes/pairs.h"

namespace atto {

// Why a claim is open.
enum class OpenReason {
  none,         // it is decided
  few,          // too few runs have a value
  undecidable,  // so few runs that no outcome would decide it
  cut_off,      // runs that ended first leave the interval open
  unknown,      // so do runs without a value
  edge,         // the truth is so near to an end of the region that ten times the seeds would not do
  budget,       // more seeds would decide it
};
template <>
struct EnumWords<OpenReason> {
  static constexpr std::array words{
      "", "too few values", "undecidable", "cut off", "unknown values", "near the edge", "budget"};
};

// Which interval a verdict rests on: the ordinary one of all runs; or, where the runs came look by look, the one that
// holds at every look, or an ordinary one whose error the planned looks share.
enum class RestsOn { ordinary, anytime, planned };
template <>
struct EnumWords<RestsOn> {
  static constexpr std::array words{"ordinary", "anytime", "planned looks"};
};

struct Verdict {
  VerdictKind kind = VerdictKind::inconclusive;
  std::optional<double> estimate, low, high;  // low/high may be infinite under censoring
  // The interval that holds at every number of runs at once, where the statistic has one; under looks the one that
  // decides, in any case.
  std::optional<double> anytime_low, anytime_high;
  RestsOn rests_on = RestsOn::ordinary;
  int64_t seeds = 0;    // runs that the claim speaks of
  int64_t missing = 0;  // of these, runs that did not diverge and in which the quantity does not exist
  int64_t censored = 0;
  int64_t diverged = 0;
  int64_t outside = 0;  // runs that do not meet `given`; not among the others
  int64_t cells = 0;    // or pairs of cells
  bool paired = false;  // compared seed by seed
  // The least error level at which the decision still stands: what a correction for many claims needs. None while open.
  std::optional<double> error;
  // The verdict with the error of 5 % shared by all claims of its source (family.h).
  std::optional<VerdictKind> adjusted;
  OpenReason reason = OpenReason::none;
  bool within_margin = false;     // shown to lie within the claim's margin of an end: more seeds would say so again
  std::optional<double> needed;   // of an open claim, about so many times its seeds would decide it
  std::optional<int64_t> enough;  // of one that its runs cannot decide, about so many could
  int looks = 1;                  // that were taken until it was decided, or so far
  std::string note;               // why inconclusive, when it is not the interval's doing; what the numbers do not say

  // The ends of the interval that decides.
  std::optional<double> deciding_low() const {
    return rests_on != RestsOn::ordinary && anytime_low ? anytime_low : low;
  }
  std::optional<double> deciding_high() const {
    return rests_on != RestsOn::ordinary && anytime_high ? anytime_high : high;
  }
};

// Has the claim's statistic an interval that holds at every look? Others are judged at planned looks.
bool has_anytime_interval(const Claim& claim, bool paired);
// The same for all statistics, in words.
inline constexpr const char* kAnytimeStatistics =
    "rates and medians have intervals that hold at every look, and so have, seed by seed, differences and ratios of "
    "medians and differences of rates; means, groups without common seeds, ratios of rates, correlations, coincidences "
    "and fits are judged at the planned looks, which share the error of 5 %";

// The answers of one cell, and of the cell it is compared with.
struct CellEvidence {
  std::string cell;  // in words
  RunAnswers first, second;
  bool compared = false;
  bool paired = false;  // answers of the same place in both have the same seeds
  bool exact = false;   // nothing in the runs is left to chance: one tells all
  // The seeds of the answers. Cells share them; without them nobody knows what cells have in common.
  std::vector<int64_t> first_seeds = {}, second_seeds = {};
};

struct Evidence {
  std::vector<CellEvidence> cells;
  int64_t outside = 0;
  int64_t undecided = 0;  // runs inside of which nobody knows whether they meet the claim's condition
};

// The same of a statistic that takes pairs of quantities.
struct PairedEvidence {
  std::vector<PairedOutcomes> cells;
  int64_t outside = 0, undecided = 0;
};

// Supported when the whole interval lies inside the region, refuted when wholly outside, inconclusive otherwise.
Verdict judge(const Claim& claim, const Evidence& evidence, const Certainty& certainty = {});
// Of one cell, or of two that have nothing to do with each other.
Verdict judge(const Claim& claim, const Outcomes& first, const Outcomes& second = {});
// The same of a statistic that takes pairs, those of each cell by themselves.
Verdict judge_pairs(const Claim& claim, const PairedEvidence& evidence, const Certainty& certainty = {});

// As run's outcome answers the claim's statistic and `by`.
Answer answer_to(const Claim& claim, const Outcome& outcome);

// Adds what is computed by judging again at other levels: `error`, the anytime interval, and why it is open.
Verdict complete_verdict(const Claim& claim, const Evidence& evidence, const Certainty& certainty = {});
Verdict complete_verdict(const Claim& claim, const PairedEvidence& evidence, const Certainty& certainty = {});
// The same of an interval that comes with its estimate only: the error follows from Student's t of so many degrees of
// freedom, of which the interval has the quantiles at certainty.spent_level().
void complete_from_interval(const Claim& claim, const Certainty& certainty, double freedom, Verdict& verdict);

}  // namespace atto
