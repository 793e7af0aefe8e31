// What the planned seeds could decide at best, before anything is trained.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

struct Reach {
  std::string claim;
  int64_t seeds = 0;  // of its smallest cell, at the last look
  // Is there an outcome of so many runs that gives this verdict? Of a fit and of pairs of quantities that depends on
  // the runs, and neither is known.
  bool supported = true, refuted = true;
  bool known = true;

  // "either", "supported", "refuted", "inconclusive": the best verdict that can be reached; "unknown".
  std::string best() const;
  // "S4.5-linear-late-spikes: no outcome of 32 runs would support it"; "" where both verdicts can be reached, or
  // neither is known.
  std::string text() const;
};

// Of shares every outcome is tried, of two shares some that are far apart; of medians and means runs that all say the
// same: if these do not decide, none do.
std::vector<Reach> reach_of_claims(const Study& study, const std::vector<Cell>& cells);

// The claims by the best verdict that they can reach, a line for each kind: "can be supported or refuted: A, B", "can
// be supported at best, not refuted: C", "inconclusive at best: D", "not said of fits, ...: E".
std::vector<std::string> reach_lines(const std::vector<Reach>& all);

}  // namespace atto
