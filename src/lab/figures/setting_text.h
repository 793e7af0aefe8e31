// The setting of a figure's runs in a sentence, for captions.
#pragma once

#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// "Setting: copy, vocab 4, context 4, width 2; adam, rate 0.001, batch 512, 3,000 steps." What the cells share; what
// differs between them, the figure itself tells. "" without cells.
std::string setting_text(const std::vector<const CellResult*>& cells);

}  // namespace atto
