#include "places.h"

namespace atto {

std::string in_source(const std::string& path) { return ATTO_SOURCE_DIR "/" + path; }
std::string program_path() { return ATTO_BINARY; }

}  // namespace atto
