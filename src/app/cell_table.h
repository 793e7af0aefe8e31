// What the cells of a sweep look like side by side.
#pragma once

#include <string>

#include "app/terminal.h"
#include "lab/results.h"

namespace atto {

// "vocab 10, width 2": a cell by the last words of its keys; "all runs" for a study without a sweep.
std::string cell_label(const Overrides& overrides);

// "28/32" for a quantity that answers yes or no, else the median with quartiles; missing and censored values counted.
std::string quantity_text(const QuantitySummary& quantity);
// The values over seeds, a censored one as +infinity: later than anything seen.
std::vector<double> known_values(const QuantitySummary& quantity);

// Rows are observables (final value) and quantities, columns are cells, as many side by side as the width takes.
std::string cell_tables(const StudyResult& result, const Terminal& terminal);

}  // namespace atto
