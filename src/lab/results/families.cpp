#include "lab/results/families.h"

#include <algorithm>
#include <map>

#include "lab/results/answers.h"
#include "lab/results/format_text.h"
#include "phenomena/claims/family.h"

namespace atto {
namespace {

using Families = std::map<std::string, std::vector<Verdict*>>;  // by source

void add(StudyResult& result, Families& families) {
  for (ClaimResult& one : result.claims) families[publication_of(one.claim.source)].push_back(&one.verdict);
}

void adjust(const Families& families) {
  for (const auto& [source, verdicts] : families) adjust_family(verdicts);
}

}  // namespace

void adjust_sources(std::vector<StudyResult>& results) {
  Families families;
  for (StudyResult& one : results) add(one, families);
  adjust(families);
}

void adjust_sources(StudyResult& result) {
  Families families;
  add(result, families);
  adjust(families);
}

void mark_same_number(std::vector<ClaimResult>& claims) {
  ClaimResult& last = claims.back();
  const auto found = std::find_if(claims.begin(), claims.end() - 1,
                                  [&](const auto& one) { return same_number(one.claim, last.claim); });
  if (found == claims.end() - 1) return;
  last.same_number_as = found->claim.id;
  std::string& note = last.verdict.note;
  note += (note.empty() ? "" : "; ") + std::string("the same number as ") + found->claim.id;
}

int64_t distinct_numbers(const std::vector<ClaimResult>& claims) {
  return std::count_if(claims.begin(), claims.end(), [](const auto& one) { return one.same_number_as.empty(); });
}

FamilyCounts family_counts(const std::vector<ClaimResult>& claims) {
  FamilyCounts counts;
  for (const ClaimResult& one : claims) {
    ++counts.claims;
    if (one.verdict.kind == VerdictKind::inconclusive) continue;
    ++counts.decided;
    if (one.verdict.adjusted && *one.verdict.adjusted == one.verdict.kind) ++counts.standing;
  }
  return counts;
}

std::string family_text(const std::vector<ClaimResult>& claims) {
  const FamilyCounts counts = family_counts(claims);
  return "Of " + count_text(counts.decided, "decision") + " " + count_text(counts.standing) +
         (counts.standing == 1 ? " stands" : " stand") +
         " when the error of 5 % is shared by all claims of a source (Holm's method). The " +
         count_text(counts.claims, "claim") + (counts.claims == 1 ? " judges " : " judge ") +
         count_text(distinct_numbers(claims), "different number") + ".";
}

}  // namespace atto
