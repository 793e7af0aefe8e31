// Two quantities of the same runs: do they go together, and do two events happen at the same time?
#pragma once

#include <vector>

#include "phenomena/outcomes/summarise.h"

namespace atto {

// What the runs of one cell answer to two questions, in the same order.
struct PairedOutcomes {
  Outcomes first, second;
};

// Spearman's rho of the two within each cell, and the mean over cells (math/correlation.h). A run that lacks one of
// them is left out and counted as missing. A censored value is later than all seen in its cell. The estimate takes the
// censored ones of a cell as equal; the interval takes them in the order that agrees most with the other quantity for
// its upper end, and in the order that agrees least for its lower one.
Estimate summarise_correlation(const std::vector<PairedOutcomes>& cells, const Certainty& certainty = {});

// Two steps coincide where the later is at most 1 + `within` times the earlier. The estimate is the share of runs in
// which the two coincide, less the share expected if each run had the partner of another run of its cell. It is 0 for
// events that know nothing of each other, however often they happen to fall together, and at most 1.
//
// Only runs in which both events exist count; the others are missing. Where one is censored, the two do not coincide if
// the run saw enough to exclude it. Otherwise nobody knows: the estimate counts it as no, the lower end as no for the
// run itself and yes for its shuffled partners, the upper end the other way round.
Estimate summarise_coincidence(const std::vector<PairedOutcomes>& cells, double within,
                               const Certainty& certainty = {});

}  // namespace atto
