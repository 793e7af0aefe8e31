// Numbers that a study gives in a file: CSV, NumPy's NPY (one array) or NPZ (several, by name).
//
// A file is read once, with the study, and its numbers travel with the configuration: what happens to the file
// afterwards touches no run. Its content hash is part of the runs' ids.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atto {

struct NumberArray {
  std::string name;  // in an archive, else empty
  std::vector<size_t> shape;
  std::vector<double> values;  // row-major
  std::vector<size_t> lines;   // CSV: the line of each row
};

struct NumberFile {
  std::string name;                  // the path, for messages
  std::string hash;                  // of the bytes (base/content_hash.h)
  std::vector<std::string> columns;  // CSV: the header, empty where it has none
  std::vector<NumberArray> arrays;   // one, or those of an archive

  const NumberArray* find(std::string_view array) const;  // nullptr when there is none
  // The one array of a file, or the one of this name of an archive. Error(config) where there is none.
  const NumberArray& only(const std::string& array) const;
  // "walk.csv:7", "walk.npy, row 6", "data.npz, weights[3]": where a row or an entry stands, counted from 0.
  std::string place(const NumberArray& array, size_t row) const;
  std::string place(const NumberArray& array, size_t row, size_t column) const;
};

// The format goes by the first bytes: an archive, an array, else CSV. Throws Error(missing) where there is no such
// file, and Error(config) "file:line:column: what is wrong".
std::shared_ptr<const NumberFile> load_number_file(const std::filesystem::path& path);
NumberFile parse_number_file(const std::string& bytes, const std::string& name);

std::string shape_text(const std::vector<size_t>& shape);  // "3 × 4", "5 numbers"

struct DataConfig;
// What data.file names. Error(config) where it names nothing.
const NumberFile& number_file(const DataConfig& config);

}  // namespace atto
