// The sizes at which a claim is tested, in words.
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

// "width 32, context 8 to 64": what the keys of Study::scale are in the cells that a claim speaks of. "" unless the
// claim is scaled down.
std::string scale_text(const Study& study, const std::vector<Cell>& cells, const Claim& claim);

}  // namespace atto
