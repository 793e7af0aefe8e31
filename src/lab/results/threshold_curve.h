// Verdicts over a range of the settings that they hang on: what a claim would come to if its detector drew its line
// elsewhere. Nothing is trained for it: detectors look at the stored series again.
//
// Claims about a rate, a median or a mean of what a detector finds have such a curve for each cut that the detector
// names (Detector::cuts). Fits, pairs and claims with `tune` have none: a law over cells and a choice among them are no
// matter of one quantity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/results/results.h"

namespace atto {

struct ThresholdPoint {
  double cut = 0;
  Verdict verdict;
};

struct ThresholdCurve {
  size_t claim = 0;        // its place in the study's claims
  std::string phenomenon;  // "plateau"
  std::string setting;     // "contrast"
  double own = 0;          // as the study has it
  bool log = false;
  std::vector<ThresholdPoint> points;  // cuts rise; the study's own is among them
  bool all_runs = true;                // false: cells with more runs than `most_runs` gave their first ones

  // Is the verdict the same at every cut?
  bool steady() const;
};

struct ThresholdOptions {
  std::vector<std::string> claims;  // ids; empty: all that have a curve
  int64_t most_runs = 128;          // of a cell: detectors look at each of them some nine times for each cut
};

// Of the claims that have any, in the order of the study; one for each cut. `poll` may throw.
std::vector<ThresholdCurve> threshold_curves(
    const StudyResult& result, const RunSource& source, const ThresholdOptions& options = {}, const Poll& poll = [] {});

// Can the claim have a curve at all?
bool has_cuts(const Claim& claim, const Study& study);

// The verdict on a claim that has a curve, from what its cells answer: the one place in which curves are judged.
Verdict judge_cells(const Study& study, const Claim& claim, const std::vector<CellResult>& cells);

// "contrast 2.5 to 10: supported; 1.25 to 2.1: inconclusive"
std::string threshold_text(const ThresholdCurve& curve);

// [{"setting": "plateau.contrast", "own": 5, "cuts": [{"cut": 2.5, "verdict": "supported", "estimate": …}, …]}, …]
Json thresholds_json(const std::vector<ThresholdCurve>& curves, size_t claim);

}  // namespace atto
