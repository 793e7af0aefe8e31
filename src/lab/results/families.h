// The claims of many studies together: how many decisions stand when they are looked at as a whole.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// Sets `adjusted` of every verdict, the error of 5 % shared by all claims of a source.
void adjust_sources(std::vector<StudyResult>& results);
void adjust_sources(StudyResult& result);

struct FamilyCounts {
  int64_t claims = 0, decided = 0, standing = 0;
};
FamilyCounts family_counts(const std::vector<ClaimResult>& claims);
// "Of 238 decisions 194 stand when the error of 5 % is shared by all claims of a source (Holm)."
std::string family_text(const std::vector<ClaimResult>& claims);

}  // namespace atto
