// From the cells of a study to the verdicts on its claims.
#include <algorithm>

#include "base/error.h"
#include "lab/provenance/question.h"
#include "lab/results/evidence.h"

namespace atto {
namespace {

const FitResult& fit_named(const Claim& claim, const std::string& quantity, const std::vector<FitResult>& fits) {
  for (const FitResult& one : fits)
    if (quantity.starts_with(one.fit.name + ".")) return one;
  throw Error(ErrorKind::config, "claim " + claim.id + ": no fit of the study reports " + quantity);
}

// That no run of some cell, or of any, meets the claim's condition, with where to mend it; "" where some run does in
// each of them.
std::string unmet_text(const Claim& claim, const std::vector<std::string>& unmet, size_t cells) {
  if (claim.given.empty() || unmet.empty()) return "";
  const std::string who = unmet.size() == cells ? "no run" : "no run of " + unmet.front();
  return (claim.place.empty() ? "" : claim.place + ": ") + who + " meets given = \"" + claim.given +
         "\"; ask for what some runs show, leave `given` out, or ask for the rate of " + claim.given + " itself";
}

// That nobody knows of any run whether it meets the condition.
std::string undecided_text(const Claim& claim, int64_t undecided, int64_t runs) {
  if (undecided == 0 || undecided < runs) return "";
  return (claim.place.empty() ? "" : claim.place + ": ") + "no run says whether it meets given = \"" + claim.given +
         "\", as all lack it or diverged; train longer, observe what it needs, or leave `given` out";
}

void add_note(const std::string& note, Verdict& verdict) {
  if (note.empty()) return;
  verdict.note = verdict.seeds == 0 || verdict.note.empty() ? note : note + "; " + verdict.note;
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
    if (certainty.anytime) judged.verdict.rests_on = RestsOn::planned;
  } else if (takes_pairs(claim.statistic)) {
    const PairedEvidence pairs = gather_pairs(claim, cells, limit);
    judged.verdict = complete_verdict(claim, pairs, certainty);
    const bool none =
        std::all_of(pairs.cells.begin(), pairs.cells.end(), [](const auto& one) { return one.first.empty(); });
    if (none && pairs.outside > 0) add_note(unmet_text(claim, {""}, 1), judged.verdict);
    add_note(undecided_text(claim, pairs.undecided, judged.verdict.seeds), judged.verdict);
  } else {
    TunedGroups tuned;
    const Evidence evidence = gather_evidence(claim, cells, limit, tuned);
    judged.verdict = complete_verdict(claim, evidence, certainty);
    std::vector<std::string> unmet;
    for (const CellEvidence& one : evidence.cells)
      if (one.first.empty() && evidence.outside > 0) unmet.push_back(one.cell);
    add_note(unmet_text(claim, unmet, evidence.cells.size()), judged.verdict);
    add_note(undecided_text(claim, evidence.undecided, judged.verdict.seeds), judged.verdict);
    judged.tuned = tuned.first;
    judged.tuned_against = tuned.second;
  }
  return judged;
}

// Do all cells that the claim speaks of have the seeds of this look?
bool has_look(const Study& study, const Claim& claim, const std::vector<CellResult>& cells, int look) {
  for (const CellResult& cell : cells)
    if (speaks_of(study, claim, cell.cell.config) &&
        std::ssize(cell.runs) < seeds_at_look(study.seeds, cell.cell.seeds, look))
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

bool is_open(const Verdict& verdict) { return verdict.kind == VerdictKind::inconclusive && !verdict.within_margin; }

ClaimResult judge_claim(const Study& study, const Claim& claim, const std::vector<CellResult>& cells) {
  if (study.seeds.until == Until::decided) return judge_in_looks(study, claim, cells);
  return judge_at(study, claim, cells, {}, {});
}

}  // namespace atto
