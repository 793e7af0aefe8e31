// A file that appears under its name only once it is whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

namespace atto {

class OutputFile {
 public:
  // Creates missing folders. Writes to "NAME.part" until commit(). Errors are Error(resources) with the file's name.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();  // without commit() the part is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_, part_;
  std::ofstream stream_;
  bool committed_ = false;
};

// The numbers as they lie in memory; every supported machine is little-endian, as the formats want it.
template <class Number>
std::string_view raw_bytes(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace atto
