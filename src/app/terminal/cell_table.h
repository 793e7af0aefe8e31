// What the cells of a sweep look like side by side.
#pragma once

#include <string>

#include "app/terminal/terminal.h"
#include "lab/results/results.h"

namespace atto {

// Rows are observables (final value) and quantities, columns are cells, as many side by side as the width takes.
std::string cell_tables(const StudyResult& result, const Terminal& terminal);

}  // namespace atto
