// The data of a figure, inline in its specification: rows as CSV text, a third of the size of JSON.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/variant.h"
#include "lab/results/json.h"

namespace atto {

class DataTable {
 public:
  using Entry = Variant<double, int64_t, std::string>;

  explicit DataTable(std::vector<std::string> columns);
  // As many entries as columns. Reals keep four digits; NaN and infinities are gaps.
  void row(std::initializer_list<Entry> entries);
  void row(const std::vector<Entry>& entries);
  size_t rows() const { return rows_; }
  // {"values": "step,loss\n0,1.5\n", "format": {"type": "csv", "parse": {...}}}
  Json data() const;

 private:
  std::vector<std::string> columns_;
  std::vector<bool> numeric_;  // a column is numbers until a text enters it
  std::string text_;
  size_t rows_ = 0;
};

}  // namespace atto
