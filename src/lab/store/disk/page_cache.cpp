#include "lab/store/disk/page_cache.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/machine.h"

namespace atto {
namespace {

constexpr uintmax_t kWritten = 64 << 20;      // bytes; a thousand small runs touch 20 MB
constexpr uintmax_t kLeastToRead = 32 << 20;  // also where little memory is left
constexpr uintmax_t kLeastOfOne = 2 << 20;    // what SQLite takes by itself

void set_pages(SQLite::Database& database, uintmax_t bytes) {
  database.exec("PRAGMA cache_size = -" + std::to_string(bytes / 1024));
}

}  // namespace

void keep_written_pages(SQLite::Database& database) { set_pages(database, kWritten); }

void keep_read_pages(SQLite::Database& database, const std::string& path, size_t files) {
  std::error_code none;
  const uintmax_t size = std::filesystem::file_size(path, none);
  // Pages take a little more room in memory than in the file.
  const uintmax_t wanted = none ? 0 : size + size / 8;
  const uintmax_t share = std::max(kLeastToRead, available_memory() / 4) / files;
  set_pages(database, std::max(kLeastOfOne, std::min(wanted, share)));
}

}  // namespace atto
