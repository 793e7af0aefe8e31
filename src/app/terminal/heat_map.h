// Matrices as shaded text: a phase diagram with its numbers, an attention map as blocks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/terminal/terminal.h"

namespace atto {

struct HeatMap {
  std::string row_name, column_name;
  std::vector<std::string> rows, columns;     // labels
  std::vector<std::optional<double>> values;  // row-major; a missing one shows "·"
  double low = 0, high = 1;                   // where the shade starts and is full
};

std::string render(const HeatMap& map, const Terminal& terminal);

// One matrix of numbers in [0, 1], two characters an entry, from blank to full.
std::string shade_blocks(std::span<const double> values, size_t rows, size_t columns);

}  // namespace atto
