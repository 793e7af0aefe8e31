// What cells have in common: their seeds.
#pragma once

#include "phenomena/claims/verdict.h"

namespace atto {

// How far a median over cells may lie from what it is said to be, for all that the seeds tell. Cells share their seeds,
// and with them their luck: all of them may be slow with the same start. The spread over cells does not show that, so
// it is found by drawing the seeds anew, for all cells together. A share of runs is known no better than that of a
// single cell: where all runs say yes, drawing them again shows nothing. No width where no seed matters, infinite where
// there is but one. Percentiles of the draws, since luck may come in two kinds; of fewer runs than six, Student's t.
Interval interval_by_seeds(const Claim& claim, const Evidence& evidence, const Certainty& certainty);

}  // namespace atto
