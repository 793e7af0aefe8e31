// Claims and their verdicts for people.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "lab/results/results.h"

namespace atto {

// With the statement and the caveats under each claim.
std::string verdict_table(const std::vector<ClaimResult>& claims, const Terminal& terminal);
// "7 claims: 3 supported, 0 refuted, 2 found, 1 not found off the published scope, 1 inconclusive".
std::string tally_line(const std::vector<ClaimResult>& claims, const Terminal& terminal = {});
// That line, then the same by origin and scope, and the claims by status.
std::string verdict_counts(const std::vector<ClaimResult>& claims, const Terminal& terminal);

}  // namespace atto
