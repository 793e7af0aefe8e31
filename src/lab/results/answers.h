// What was found, in plain sentences, for each publication: before any table.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// "Liu, Sparse attention 1: sticky plateau and rank collapse (2026)": the publication that a claim's source names,
// without address and additions. The claims of one publication are a family.
std::string publication_of(const std::string& source);

// "At V = 10 the plateau lies at V/2: found, 0.504 [0.501, 0.512] in 64 runs."
std::string answer_text(const ClaimResult& claim);

// For each publication how its claims came out, and the answers to the claims that the studies call its headlines, or
// where there are none the firmest decision of each kind.
struct SourceAnswers {
  std::string publication, tally;
  std::vector<std::string> answers;
};
std::vector<SourceAnswers> answers_by_source(const std::vector<ClaimResult>& claims);

}  // namespace atto
