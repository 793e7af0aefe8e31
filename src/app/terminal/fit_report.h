// Fitted laws and diagnoses for people.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "lab/results/results.h"

namespace atto {

// The law with its intervals, what it spans, what was left out, and its diagnoses.
std::string fit_report(const FitResult& fit, const Terminal& terminal);
// Measured times against the law's; "" when there is no law.
std::string fit_plot(const FitResult& fit, const Terminal& terminal);

// What the cells show signs of, each sign once with the cells that show it; "" when there is nothing.
std::string diagnosis_report(const std::vector<CellResult>& cells, const Terminal& terminal);

}  // namespace atto
