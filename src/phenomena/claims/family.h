// Many claims at once. With 5 % of error each, a dozen of several hundred decisions would be wrong by chance.
#pragma once

#include <span>

#include "phenomena/claims/verdict.h"

namespace atto {

// Holm (1979): of m verdicts with errors e_(1) <= e_(2) <= ..., decision k stands as long as e_(k) <= level/(m - k + 1)
// and all before it stand. The chance that any of those that stand is wrong is then at most `level`, whatever the
// claims have to do with each other. Open claims count in m: they were looked at as well. Sets `adjusted`.
void adjust_family(std::span<Verdict* const> family, double level = 0.05);

}  // namespace atto
