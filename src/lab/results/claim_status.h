// The record behind verdicts: whether each claim was fixed before its runs.
#pragma once

#include "lab/results/results.h"
#include "lab/store/store.h"

namespace atto {

// Fills in ClaimResult::status, from the store and from the ledger beside the study's file.
void add_statuses(StudyResult& result, const Store& store);

// "read off a figure; published size, recipe guessed; revised after 64 runs (ledger): …": what a reader of a verdict
// should know of its claim.
std::string provenance_text(const ClaimResult& result);

// How many claims are of one origin and scope, and how they came out: for the counts under a table.
struct ClaimGroup {
  Provenance provenance;
  int64_t claims = 0;
  std::array<int64_t, 3> verdicts{};  // by VerdictKind

  // "12 readings of figures at the published size, recipe guessed: 5 found, 3 not found, 4 inconclusive"
  std::string text() const;
};
std::vector<ClaimGroup> groups_by_provenance(const std::vector<ClaimResult>& claims);  // those that have claims
// How claims came out, in the words of their scope: {"3 supported", "1 refuted", "2 found", "1 not found off the
// published scope", "4 inconclusive"}. Nothing that is tested off the published scope is refuted.
struct CountedVerdicts {
  std::string text;
  VerdictKind kind;
};
std::vector<CountedVerdicts> verdict_tally(const std::vector<ClaimResult>& claims);
// "300 fixed beforehand, 20 revised after runs, 14 new, not yet recorded".
std::string status_counts(const std::vector<ClaimResult>& claims);

}  // namespace atto
