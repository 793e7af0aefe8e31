// Parquet, as DuckDB, polars, pandas and Arrow read it: plain encoding, pages compressed by zlib, any value may be
// missing. The format: https://parquet.apache.org/docs/file-format/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/export/output_file.h"
#include "base/variant.h"

namespace atto {

enum class ParquetKind { truth, integer, real, text };

struct ParquetColumn {
  std::string name;
  ParquetKind kind = ParquetKind::text;
};

// Of a row; std::monostate is a missing value. The others must be of the column's kind.
using ParquetValue = Variant<std::monostate, bool, int64_t, double, std::string>;

class ParquetWriter {
 public:
  ParquetWriter(const std::filesystem::path& path, std::vector<ParquetColumn> columns);

  void row(const std::vector<ParquetValue>& values);  // one for each column
  void finish();

 private:
  // The values of a column that wait to be written.
  struct Waiting {
    std::string bytes;          // plain
    std::vector<bool> present;  // one a row
    std::vector<bool> truths;
  };
  struct Chunk {
    int64_t offset = 0, plain_size = 0, size = 0;
  };
  struct Group {
    int64_t rows = 0;
    std::vector<Chunk> chunks;
  };

  void write_group();
  Chunk write_chunk(const Waiting& column, ParquetKind kind);
  std::string footer() const;
  void put(const std::string& bytes);

  OutputFile file_;
  std::vector<ParquetColumn> columns_;
  std::vector<Waiting> waiting_;
  int64_t rows_ = 0;
  size_t waiting_bytes_ = 0;
  int64_t written_ = 0;
  std::vector<Group> groups_;
};

}  // namespace atto
