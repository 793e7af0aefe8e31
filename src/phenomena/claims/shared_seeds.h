// What cells have in common: their seeds.
#pragma once

#include "phenomena/claims/verdict.h"

namespace atto {

// The standard error that seeds give to a median over cells, and its degrees of freedom.
struct SeedError {
  double error = 0, freedom = 1;
};

// Cells share their seeds, and with them their luck: all of them may be slow with the same start. The spread over cells
// does not show that, so it is found by drawing the seeds anew, for all cells together. 0 where no seed matters,
// infinite where there is but one.
SeedError error_by_seeds(const Claim& claim, const Evidence& evidence);

}  // namespace atto
