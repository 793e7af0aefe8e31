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
  std::vector<size_t> answered;  // the claims that the answers are to: their places in the list
  std::vector<size_t> claims;    // all of the publication
};
std::vector<SourceAnswers> answers_by_source(const std::vector<ClaimResult>& claims);

// The same in few lines: one for each publication, with its tally and its first answer, and as long as there are fewer
// than `most`, further answers.
struct SourceLine {
  std::string publication;  // empty: a further answer of the one before
  std::string text;
};
std::vector<SourceLine> answer_lines(const std::vector<ClaimResult>& claims, size_t most = 10);

}  // namespace atto
