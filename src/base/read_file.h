// A whole file. Streams swallow what goes wrong while they are copied into each other, a lack of memory included, so
// that a part of a file looks like all of it; this does not.
#pragma once

#include <optional>
#include <string>

namespace atto {

// Nothing where it cannot be read to its end; errno says why.
std::optional<std::string> read_file(const std::string& path);

}  // namespace atto
