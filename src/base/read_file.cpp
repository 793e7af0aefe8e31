#include "base/read_file.h"

#include <array>
#include <cerrno>
#include <fstream>

namespace atto {

std::optional<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes;
  std::array<char, 32'768> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0)
    bytes.append(part.data(), static_cast<size_t>(file.gcount()));
  if (file.bad()) return std::nullopt;
  return bytes;
}

}  // namespace atto
