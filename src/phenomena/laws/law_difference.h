// A number of one fitted law against a number of another, or of the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "phenomena/laws/power_law.h"
#include "phenomena/outcomes/compare.h"

namespace atto {

struct LawSide {
  std::vector<std::string> names;  // of the terms
  std::vector<LawRun> runs;        // runs of both sides with the same `cell` are of the same cell
  size_t number = 0;               // 0: the constant, 1: the first exponent, ...
};

// The first less the second, or over it. Both laws are fitted to the same weighted cells in each resample: a cell that
// is in both fits, or cells of the same sizes, have one weight, so that what both share (runs, seeds, what the laws
// miss at a size) is shared in the spread as well. Only cells that have no partner are weighted by themselves. The runs
// without a time are where they push the result up, and down, most. Nothing where one of the laws cannot be fitted.
std::optional<LawNumber> compare_law_numbers(const LawSide& first, const LawSide& second, Comparison compare,
                                             double confidence = 0.95, int64_t resamples = 2000, uint64_t seed = 1);

}  // namespace atto
