// Files of numbers for tests, without a file system.
#pragma once

#include <memory>
#include <string>

#include "data/config.h"
#include "data/files/number_file.h"

namespace atto {

// As if data.file named a file "f" with these bytes.
inline void give_file(DataConfig& config, const std::string& bytes) {
  config.content = std::make_shared<const NumberFile>(parse_number_file(bytes, "f"));
  config.file = "f";
  config.file_hash = config.content->hash;
}

}  // namespace atto
