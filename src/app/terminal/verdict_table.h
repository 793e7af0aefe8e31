// Claims and their verdicts for people.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "lab/results/results.h"

namespace atto {

enum class Detail { brief, full };  // full: the statement and the caveats under each claim
std::string verdict_table(const std::vector<ClaimResult>& claims, const Terminal& terminal,
                          Detail detail = Detail::full);
// "7 claims: 5 supported, 1 refuted, 1 inconclusive", then the same by origin and scope, and the claims by status.
std::string verdict_counts(const std::vector<ClaimResult>& claims, const Terminal& terminal);

}  // namespace atto
