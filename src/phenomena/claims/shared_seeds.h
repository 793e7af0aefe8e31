// What cells have in common: their seeds.
#pragma once

#include "phenomena/claims/verdict.h"

namespace atto {

// The interval of a median over cells as far as seeds move it. Cells share their seeds, and with them their luck: all of
// them may be slow with the same start. The spread over cells does not show that, so it is found by drawing the seeds
// anew, for all cells together: percentiles of the draws, since luck may come in two kinds, or Student's t where a cell
// has fewer runs than six. No width where no seed matters, infinite where there is but one.
Interval interval_by_seeds(const Claim& claim, const Evidence& evidence, const Certainty& certainty);

}  // namespace atto
