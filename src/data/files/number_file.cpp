#include "data/files/number_file.h"

#include <algorithm>
#include <optional>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/read_file.h"
#include "data/config.h"
#include "data/files/formats.h"

namespace atto {

void refuse_file(const std::string& what, const std::string& remedy) { throw Error(ErrorKind::config, what, remedy); }

uint64_t little_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  return number;
}

const NumberArray* NumberFile::find(std::string_view array) const {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const NumberArray& one) { return one.name == array; });
  return found == arrays.end() ? nullptr : &*found;
}

const NumberArray& NumberFile::only(const std::string& array) const {
  if (arrays.size() == 1) return arrays.front();
  if (const NumberArray* found = find(array)) return *found;
  refuse_file(name + ": none of its " + std::to_string(arrays.size()) + " arrays is called '" + array + "'",
              "save one array, or one of that name");
}

std::string NumberFile::place(const NumberArray& array, size_t row) const {
  if (!array.lines.empty()) return name + ":" + std::to_string(array.lines[row]);
  if (array.name.empty()) return name + ", row " + std::to_string(row);
  return name + ", " + array.name + "[" + std::to_string(row) + "]";
}

std::string NumberFile::place(const NumberArray& array, size_t row, size_t column) const {
  if (!array.lines.empty()) return place(array, row) + ", number " + std::to_string(column + 1);
  if (array.name.empty()) return place(array, row) + ", column " + std::to_string(column);
  return place(array, row) + "[" + std::to_string(column) + "]";
}

NumberFile parse_number_file(const std::string& bytes, const std::string& name) {
  NumberFile file;
  file.name = name;
  file.hash = content_hash(bytes);
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) parse_npz(bytes, file);
  else if (bytes.starts_with("\x93NUMPY")) parse_npy(bytes, "", file);
  else parse_csv(bytes, file);
  return file;
}

std::shared_ptr<const NumberFile> load_number_file(const std::filesystem::path& path) {
  constexpr uintmax_t kLargest = uintmax_t{1} << 30;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown))
    throw Error(ErrorKind::missing, "there is no file " + path.string(),
                "paths are relative to the folder of the study");
  if (std::filesystem::file_size(path, unknown) > kLargest)
    throw Error(ErrorKind::resources, path.string() + " has more than 1 GB", "keep what the study needs");
  const std::optional<std::string> bytes = read_file(path.string());
  if (!bytes) throw Error(ErrorKind::missing, "cannot read " + path.string(), "check its permissions");
  return std::make_shared<const NumberFile>(parse_number_file(*bytes, path.string()));
}

std::string shape_text(const std::vector<size_t>& shape) {
  if (shape.size() == 1) return std::to_string(shape[0]) + " numbers";
  std::string text;
  for (const size_t extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text.empty() ? "one number" : text;
}

const NumberFile& number_file(const DataConfig& config) {
  if (config.file.empty())
    throw Error(ErrorKind::config, "data.file names no file", "set data.file to a CSV, NPY or NPZ file");
  if (!config.content) throw Error(ErrorKind::internal, "data.file = \"" + config.file + "\" has not been read");
  return *config.content;
}

}  // namespace atto
