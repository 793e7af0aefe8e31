#include "lab/results/claim_status.h"

#include <algorithm>

#include "lab/results/format_text.h"
#include "phenomena/claims/verdict_words.h"

namespace atto {
namespace {

// What claims of an origin are called where they are counted.
const char* noun(Origin origin, bool several) {
  switch (origin) {
    case Origin::published:
      return several ? "published statements" : "published statement";
    case Origin::figure:
      return several ? "readings of figures" : "reading of a figure";
    case Origin::ours:
      return several ? "questions of the lab's own" : "question of the lab's own";
  }
  return "";
}

const char* place_of(Scope scope) {
  switch (scope) {
    case Scope::published:
      return "at the published size and recipe";
    case Scope::recipe:
      return "at the published size, recipe guessed";
    case Scope::scaled:
      return "scaled down";
  }
  return "";
}

}  // namespace

void add_statuses(StudyResult& result, const Store& store) {
  std::vector<Cell> cells;
  for (const CellResult& one : result.cells) cells.push_back(one.cell);
  const Ledger ledger = read_ledger(ledger_path(result.study.path));
  const std::vector<Status> statuses = claim_statuses(result.study, cells, ledger, &store);
  for (size_t i = 0; i < result.claims.size(); ++i) result.claims[i].status = statuses[i];
}

std::string provenance_text(const ClaimResult& result) {
  const Provenance& provenance = result.claim.provenance;
  std::string text = phrase(provenance.origin);
  if (provenance.scope) text += std::string("; ") + phrase(*provenance.scope);
  text += "; " + status_text(result.status);
  if (result.calibrated) text += "; the recipe was chosen to match its figures";
  return text;
}

std::string ClaimGroup::text() const {
  std::string text = count_text(claims) + " " + noun(provenance.origin, claims != 1);
  if (provenance.scope) text += std::string(" ") + place_of(*provenance.scope);
  std::string separator = ": ";
  for (const VerdictKind kind : {VerdictKind::supported, VerdictKind::refuted, VerdictKind::inconclusive}) {
    text += separator + count_text(verdicts[static_cast<size_t>(kind)]) + " " + verdict_word(kind, provenance);
    separator = ", ";
  }
  return text;
}

std::vector<ClaimGroup> groups_by_provenance(const std::vector<ClaimResult>& claims) {
  std::vector<ClaimGroup> groups;
  const auto add = [&](Provenance provenance) {
    ClaimGroup group{provenance};
    for (const ClaimResult& one : claims) {
      if (one.claim.provenance != provenance) continue;
      ++group.claims;
      ++group.verdicts[static_cast<size_t>(one.verdict.kind)];
    }
    if (group.claims > 0) groups.push_back(group);
  };
  for (const Origin origin : {Origin::published, Origin::figure})
    for (const Scope scope : {Scope::published, Scope::recipe, Scope::scaled}) add({origin, scope});
  add({Origin::ours, {}});
  return groups;
}

std::vector<CountedVerdicts> verdict_tally(const std::vector<ClaimResult>& claims) {
  std::vector<CountedVerdicts> parts;
  const auto count = [&](VerdictKind kind, bool off_scope) {
    return std::count_if(claims.begin(), claims.end(), [&](const ClaimResult& one) {
      return one.verdict.kind == kind && is_off_scope(one.claim.provenance) == off_scope;
    });
  };
  const auto off_scope = std::count_if(claims.begin(), claims.end(),
                                       [](const ClaimResult& one) { return is_off_scope(one.claim.provenance); });
  if (off_scope < std::ssize(claims) || claims.empty()) {
    parts.push_back({count_text(count(VerdictKind::supported, false)) + " supported", VerdictKind::supported});
    parts.push_back({count_text(count(VerdictKind::refuted, false)) + " refuted", VerdictKind::refuted});
  }
  if (off_scope > 0) {
    parts.push_back({count_text(count(VerdictKind::supported, true)) + " found", VerdictKind::supported});
    parts.push_back(
        {count_text(count(VerdictKind::refuted, true)) + " not found off the published scope", VerdictKind::refuted});
  }
  const auto open = count(VerdictKind::inconclusive, false) + count(VerdictKind::inconclusive, true);
  parts.push_back({count_text(open) + " inconclusive", VerdictKind::inconclusive});
  return parts;
}

std::string status_counts(const std::vector<ClaimResult>& claims) {
  std::string text;
  for (const StatusKind kind :
       {StatusKind::fixed, StatusKind::late, StatusKind::revised, StatusKind::unrecorded, StatusKind::altered}) {
    const auto count =
        std::count_if(claims.begin(), claims.end(), [kind](const auto& one) { return one.status.kind == kind; });
    if (count > 0) text += (text.empty() ? "" : "; ") + count_text(count) + " " + phrase(kind);
  }
  return text;
}

}  // namespace atto
