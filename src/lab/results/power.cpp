#include "lab/results/power.h"

#include <algorithm>

#include "lab/results/format_text.h"
#include "math/confidence_sequence.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

int64_t smallest_cell(const Study& study, const std::vector<Cell>& cells, const Claim& claim) {
  int64_t fewest = kMaxRuns;
  for (const Cell& cell : cells)
    if (speaks_of(claim, cell.config))
      fewest = std::min(fewest, seeds_at_look(study.seeds, cell.seeds, look_count(study.seeds) - 1));
  return fewest;
}

bool without_chance(const std::vector<Cell>& cells, const Claim& claim) {
  return std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    return !speaks_of(claim, cell.config) || optimizer_kind(cell.config.training).flow;
  });
}

void try_shares(const Claim& claim, const Certainty& certainty, Reach& reach) {
  reach.supported = reach.refuted = false;
  for (int64_t yes = 0; yes <= reach.seeds; ++yes) {
    const VerdictKind kind = claim.region().place(share_interval(yes, reach.seeds, certainty));
    reach.supported = reach.supported || kind == VerdictKind::supported;
    reach.refuted = reach.refuted || kind == VerdictKind::refuted;
  }
}

}  // namespace

std::string Reach::text() const {
  if (supported && refuted) return "";
  const std::string what = !supported && !refuted ? "decide" : supported ? "refute" : "support";
  return claim + ": no outcome of " + count_text(seeds, "run") + " would " + what + " it";
}

std::vector<Reach> reach_of_claims(const Study& study, const std::vector<Cell>& cells) {
  std::vector<Reach> all;
  const Certainty certainty{.anytime = study.seeds.until == Until::decided};
  for (const Claim& claim : study.claims) {
    Reach& reach = all.emplace_back(Reach{claim.id, smallest_cell(study, cells, claim)});
    if (without_chance(cells, claim)) continue;
    if (claim.statistic == Statistic::rate && !claim.against) try_shares(claim, certainty, reach);
    if (claim.statistic == Statistic::median && claim.pool == Pool::every) {
      const Ranks ranks = certainty.anytime ? quantile_sequence_ranks(reach.seeds, 0.5, certainty.level)
                                            : quantile_ranks(reach.seeds, 0.5, certainty.level);
      reach.supported = reach.refuted = ranks.low >= 1;
    }
  }
  return all;
}

}  // namespace atto
