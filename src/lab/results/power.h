// What the planned seeds could decide at best, before anything is trained.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

struct Reach {
  std::string claim;
  int64_t seeds = 0;                      // of its smallest cell, at the last look
  bool supported = true, refuted = true;  // is there an outcome of so many runs that gives this verdict?

  // "S4.5-linear-late-spikes: no outcome of 32 runs would support it"; "" where both verdicts can be reached.
  std::string text() const;
};

// Of rates every share is tried, and of medians whether so few runs have an interval at all. Other statistics are taken
// to reach both: what they can depends on the runs.
std::vector<Reach> reach_of_claims(const Study& study, const std::vector<Cell>& cells);

}  // namespace atto
