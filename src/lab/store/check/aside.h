// Files that are put aside because they cannot be trusted: kept, never overwritten. Internal to the store.
#pragma once

#include <string>

namespace atto {

// A free name next to a file: `<path>.damaged-1`, `-2` …
std::string name_aside(const std::string& path);

// A copy under such a name; its path. Error(resources) when it cannot be written.
std::string copy_aside(const std::string& path);

}  // namespace atto
