// What the runs of a study answer to one of its claims.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

inline constexpr int64_t kTuningShare = 3;  // of a claim with `tune`: one seed in three chooses, the others judge

struct TunedGroups {
  std::string first, second;  // what claim.tune came to in each group; empty without it
};

// Runs are set against each other seed by seed where both cells have the same seeds, unless the claim says otherwise.
Evidence gather_evidence(const Claim& claim, const std::vector<CellResult>& cells, const SeedLimit& limit,
                         TunedGroups& tuned);

// Both quantities of every run of the cells that a claim about pairs speaks of, cell by cell. A run of which nobody
// knows whether it meets `given` is among them, without either.
PairedEvidence gather_pairs(const Claim& claim, const std::vector<CellResult>& cells, const SeedLimit& limit);

}  // namespace atto
