// A verdict in words. Off the published scope nothing published is refuted: there it says what was found, and where.
#pragma once

#include <string>

#include "phenomena/claims/claim.h"

namespace atto {

// Is something published tested at other sizes, or with a recipe that is not stated?
bool is_off_scope(const Provenance& provenance);
// "supported", "refuted" at the published scope and for the lab's own claims, else "found", "not found";
// "inconclusive".
std::string verdict_word(VerdictKind kind, const Provenance& provenance);
// Where something was found or not: "at the published size, with a guessed recipe", "at width 32, context 8 to 64".
// `at` has the sizes of a claim that is scaled down. "" where the word alone says it.
std::string verdict_place(VerdictKind kind, const Provenance& provenance, const std::string& at);
// Both: "not found at width 32, context 8 to 64".
std::string verdict_text(VerdictKind kind, const Provenance& provenance, const std::string& at);

}  // namespace atto
