// From the cells of a study to the verdicts on its claims.
#include "base/error.h"
#include "lab/results/evidence.h"

namespace atto {
namespace {

const FitResult& fit_named(const Claim& claim, const std::string& quantity, const std::vector<FitResult>& fits) {
  for (const FitResult& one : fits)
    if (quantity.starts_with(one.fit.name + ".")) return one;
  throw Error(ErrorKind::config, "claim " + claim.id + ": no fit of the study reports " + quantity);
}

// The verdict on what the first seeds of each cell say.
ClaimResult judge_at(const Study& study, const Claim& claim, const std::vector<CellResult>& cells,
                     const SeedLimit& limit, const Certainty& certainty) {
  ClaimResult judged{claim, study.name, {}, {}, {}};
  if (claim.statistic == Statistic::fit) {
    std::vector<FitResult> fits;
    for (const Fit& fit : study.fits)
      if (claim.quantity.starts_with(fit.name + ".") || claim.with.starts_with(fit.name + "."))
        fits.push_back(fit_cells(fit, cells, limit, certainty.spent_level()));
    const FitResult& first = fit_named(claim, claim.quantity, fits);
    judged.verdict = claim.with.empty() ? judge_fit(claim, first, certainty)
                                        : judge_fits(claim, first, fit_named(claim, claim.with, fits), certainty);
  } else if (takes_pairs(claim.statistic)) {
    judged.verdict = complete_verdict(claim, gather_pairs(claim, cells, limit), certainty);
  } else {
    TunedGroups tuned;
    const Evidence evidence = gather_evidence(claim, cells, limit, tuned);
    judged.verdict = complete_verdict(claim, evidence, certainty);
    judged.tuned = tuned.first;
    judged.tuned_against = tuned.second;
  }
  return judged;
}

// Do all cells that the claim speaks of have the seeds of this look?
bool has_look(const Study& study, const Claim& claim, const std::vector<CellResult>& cells, int look) {
  for (const CellResult& cell : cells)
    if (speaks_of(claim, cell.cell.config) && std::ssize(cell.runs) < seeds_at_look(study.seeds, cell.cell.seeds, look))
      return false;
  return true;
}

// The looks are replayed in the order of the seeds: the verdict is that of the first look that decides, whatever was
// trained after it for other claims, in however many sittings and on however many threads.
ClaimResult judge_in_looks(const Study& study, const Claim& claim, const std::vector<CellResult>& cells) {
  const int looks = look_count(study.seeds);
  ClaimResult judged;
  for (int look = 0; look < looks && (look == 0 || has_look(study, claim, cells, look)); ++look) {
    const SeedLimit limit = [&](const CellResult& cell) { return seeds_at_look(study.seeds, cell.cell.seeds, look); };
    judged = judge_at(study, claim, cells, limit, {.anytime = true, .look = look + 1, .looks = looks});
    judged.verdict.looks = look + 1;
    if (!is_open(judged.verdict)) break;
  }
  return judged;
}

}  // namespace

bool speaks_of(const Claim& claim, const RunConfig& config) {
  return matches(claim.where, config) || (claim.against && matches(*claim.against, config)) ||
         (claim.than && (matches(claim.than->where, config) || matches(claim.than->against, config)));
}

bool is_open(const Verdict& verdict) { return verdict.kind == VerdictKind::inconclusive && !verdict.within_margin; }

ClaimResult judge_claim(const Study& study, const Claim& claim, const std::vector<CellResult>& cells) {
  if (study.seeds.until == Until::decided) return judge_in_looks(study, claim, cells);
  return judge_at(study, claim, cells, {}, {});
}

}  // namespace atto
