// The safetensors format: 8 bytes of header length, a JSON header, raw little-endian data.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "observe/recording.h"

namespace atto {

// `metadata` goes into the header's "__metadata__" (text values only, as the format demands).
void write_safetensors(const std::filesystem::path& path, const std::vector<WeightMatrix>& weights,
                       const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace atto
