// NumPy's .npz: a zip archive, not compressed, of .npy arrays. numpy.load reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/export/output_file.h"

namespace atto {

class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path) : file_(path) {}

  // Row-major; the product of `shape` is the number of values. Names may contain '/'.
  void add(const std::string& name, const std::vector<size_t>& shape, std::span<const double> values);
  void add(const std::string& name, const std::vector<size_t>& shape, std::span<const int64_t> values);
  void finish();

 private:
  struct Member {
    std::string name;
    uint32_t crc = 0, size = 0, offset = 0;
  };
  void add_array(const std::string& name, const std::string& type, const std::vector<size_t>& shape,
                 std::string_view data);
  void put(std::string_view bytes);

  OutputFile file_;
  uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace atto
