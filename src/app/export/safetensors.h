// The safetensors format: 8 bytes of header length, a JSON header, raw little-endian data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace atto {

// Row-major.
struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> values;
};

// `metadata` goes into the header's "__metadata__" (text values only, as the format demands).
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace atto
