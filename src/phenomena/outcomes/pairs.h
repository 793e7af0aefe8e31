// Two quantities of the same runs: do they go together, and do two events happen at the same time?
#pragma once

#include <vector>

#include "phenomena/outcomes/summarise.h"

namespace atto {

// What the runs of one cell answer to two questions, in the same order.
struct PairedOutcomes {
  Outcomes first, second;
};

// Spearman's rho of the two within each cell, and the mean over cells (math/correlation.h). The estimate is of the runs
// that have both, with a censored value later than all seen in its cell and the censored ones equal. The interval holds
// whatever the censored and the missing values of all runs may be (math/rank_bounds.h).
Estimate summarise_correlation(const std::vector<PairedOutcomes>& cells, const Certainty& certainty = {});

// Two steps coincide where the later is at most 1 + `within` times the earlier. The estimate is the share of runs in
// which the two coincide, less the share expected if each run had the partner of another run of its cell. It is 0 for
// events that know nothing of each other, however often they happen to fall together, and at most 1.
//
// The estimate is of the runs in which both events exist. Where one is censored, the two do not coincide if the run saw
// enough to exclude it. Otherwise, and where an event does not exist, nobody knows: the estimate counts what is
// censored as no, the lower end takes every unknown pair as no for the run itself and yes for its shuffled partners,
// the upper end the other way round.
Estimate summarise_coincidence(const std::vector<PairedOutcomes>& cells, double within,
                               const Certainty& certainty = {});

}  // namespace atto
