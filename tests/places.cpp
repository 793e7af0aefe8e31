#include "places.h"

#include <cstdlib>

namespace atto {

std::string in_source(const std::string& path) { return ATTO_SOURCE_DIR "/" + path; }
std::string program_path() {
  const char* const other = std::getenv("ATTO_BINARY");  // scripts/mutants.py
  return other != nullptr ? other : ATTO_BINARY;
}

}  // namespace atto
