// What stands where in the file of the task table. Internal to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/config.h"
#include "data/files/number_file.h"

namespace atto {

// One column of an array.
struct TableColumn {
  const NumberArray* array = nullptr;
  size_t column = 0;

  double at(size_t row) const { return array->values[row * (array->shape.size() == 1 ? 1 : array->shape[1]) + column]; }
};

struct TableColumns {
  size_t rows = 0;
  std::vector<TableColumn> tokens, answers;  // [C], [asked]
  std::optional<TableColumn> weight, test;

  double weight_of(size_t row) const { return weight ? weight->at(row) : 1; }
};
// Of data.file, for data.context positions and data.targets. Throws Error(config) where it has no such columns.
TableColumns table_columns(const DataConfig& config);

// Which rows are for training and which for testing.
struct TableParts {
  std::vector<uint32_t> train, test;
  bool equal = true;  // all training rows weigh the same
};
// Checks every row. Throws Error(config) "file:line: what is wrong".
TableParts table_parts(const DataConfig& config, const TableColumns& table);

}  // namespace atto
