// The claims of many studies together: how many decisions stand when they are looked at as a whole.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// Sets `adjusted` of every verdict, the error of 5 % shared by all claims of a source.
void adjust_sources(std::vector<StudyResult>& results);
void adjust_sources(StudyResult& result);

// Of the last claim: where an earlier one judges the same number, says so in `same_number_as` and in its note. Both
// count in a family all the same: a number can be right of one region and wrong of another, and Holm's method holds
// however much the claims have to do with each other.
void mark_same_number(std::vector<ClaimResult>& claims);
// How many different numbers the claims judge.
int64_t distinct_numbers(const std::vector<ClaimResult>& claims);

struct FamilyCounts {
  int64_t claims = 0, decided = 0, standing = 0;
};
FamilyCounts family_counts(const std::vector<ClaimResult>& claims);
// "Of 238 decisions 194 stand when the error of 5 % is shared by all claims of a source (Holm's method). The 334 claims
// judge 320 different numbers."
std::string family_text(const std::vector<ClaimResult>& claims);

}  // namespace atto
