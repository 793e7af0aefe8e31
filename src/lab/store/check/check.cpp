#include "lab/store/check/check.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "lab/store/check/aside.h"
#include "lab/store/check/scan.h"
#include "lab/store/disk/file.h"
#include "lab/store/disk/log.h"
#include "lab/store/errors.h"
#include "lab/store/lock.h"
#include "lab/store/schema.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

// What stands at fixed places of every store's header (https://www.sqlite.org/fileformat2.html).
struct FixedBytes {
  size_t at;
  std::string_view bytes;
};
constexpr FixedBytes kHeader[] = {
    {0, {"SQLite format 3\0", 16}},
    {20, {"\0\x40\x20\x20", 4}},  // nothing reserved; payload fractions
    {44, {"\0\0\0\4", 4}},
    {52, {"\0\0\0\0", 4}},  // format of the schema; no vacuum by itself
    {56, {"\0\0\0\1", 4}},
    {64, {"\0\0\0\0", 4}},  // UTF-8; the same
    {68, {"Atto", 4}},
};
constexpr size_t kDatabaseHeader = 100, kPageSize = 16, kVersions = 18, kPageCount = 28, kFormat = 60;
constexpr std::string_view kOwnPageSize("\x10\0", 2);  // 4096 bytes, as this program makes stores

std::string read_header(const std::string& path) {
  std::string header(kDatabaseHeader, '\0');
  std::ifstream(path, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header.size()));
  return header;
}

// The size of a page that the header states, or 0 where it states none that there is. Whoever packs a store may choose
// another than ours. A flipped bit never makes one size of another: each is a power of two.
uint64_t page_size(const std::string& header) {
  const auto byte = [&](size_t at) { return static_cast<uint64_t>(static_cast<unsigned char>(header[at])); };
  const uint64_t stated = byte(kPageSize) << 8 | byte(kPageSize + 1), size = stated == 1 ? 65'536 : stated;
  return std::has_single_bit(size) && size >= 512 ? size : 0;
}

// The header as it must have been; the format, which no other byte tells, is left to the tables.
std::string right_header(std::string header) {
  for (const auto& [at, bytes] : kHeader) header.replace(at, bytes.size(), bytes);
  if (page_size(header) == 0) header.replace(kPageSize, kOwnPageSize.size(), kOwnPageSize);
  for (size_t at : {kVersions, kVersions + 1})
    if (header[at] != 1 && header[at] != 2) header[at] = 2;
  header.replace(kFormat, 3, 3, '\0');
  return header;
}

// A file that shares nothing with a store, or comes from a later program, is not ours to judge.
void require_ours(const std::string& path, const std::string& header) {
  const bool named = header.compare(68, 4, "Atto") == 0, database = header.compare(0, 16, kHeader[0].bytes) == 0;
  if (!named && !(database && right_header(header).compare(0, 60, header, 0, 60) == 0))
    throw Error(ErrorKind::store, path + ": this file is not an Attoscope store", kElsewhere);
}

// Does the header promise another number of pages than there are? A file with a log is of no certain size.
bool has_other_size(const std::string& path, const std::string& header) {
  uint64_t pages = 0;
  for (size_t at = kPageCount; at < kPageCount + 4; ++at) pages = pages << 8 | static_cast<unsigned char>(header[at]);
  return !has_log(path) && pages * page_size(header) != fs::file_size(path);
}

bool opens(const std::string& path) {
  try {
    SQLite::Database database = open_to_look(path);
    return has_tables(database);
  } catch (const SQLite::Exception& error) {
    if (is_passing(error.getExtendedErrorCode())) throw;
    return false;
  }
}

// A copy of the file, and of its log, with a header that SQLite can read; gone with the object.
class ReadableCopy {
 public:
  explicit ReadableCopy(const std::string& path) : path_(copy_aside(path)) {
    if (has_log(path)) fs::copy_file(log_path(path), log_path(path_));
    std::string header = right_header(read_header(path));
    header.replace(kPageCount, 4, 4, '\0');  // SQLite then goes by what there is
    write(header);
    if (opens(path_)) return;
    header.replace(kPageSize, kOwnPageSize.size(), kOwnPageSize);  // the size was one, and not the right one
    write(header);
  }
  ~ReadableCopy() {
    std::error_code ignored;
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(path_ + part, ignored);
  }
  ReadableCopy(const ReadableCopy&) = delete;
  ReadableCopy& operator=(const ReadableCopy&) = delete;
  const std::string& path() const { return path_; }

 private:
  void write(const std::string& header) const {
    std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out).write(header.data(), std::ssize(header));
  }

  std::string path_;
};

// Only a store that says twice that it comes from a later program does.
void look_at_format(SQLite::Database& database, const std::string& path, Checkup& found) {
  const std::string format = database.execAndGet("PRAGMA user_version").getString();
  if (format >= "1" && format <= std::to_string(kStoreFormat) && format.size() == 1) return;
  SQLite::Statement meta(database, "SELECT value FROM meta WHERE key = 'format'");
  if (meta.executeStep() && meta.getColumn(0).getString() == format)
    throw Error(ErrorKind::store,
                path + ": this store has format " + format + ", this program knows formats up to " +
                    std::to_string(kStoreFormat),
                "check it with the version of atto that wrote it");
  found.damages.push_back({"the number of its format is damaged", "nothing: the tables tell it"});
}

// A look at all there is. The scan keeps its connection, so that a repair can copy from it.
struct Look {
  std::optional<ReadableCopy> copy;
  std::optional<SQLite::Database> database;
  std::optional<StoreScan> scan;
  Checkup found;
};

void look_at(const std::string& path, Store::Mode mode, Look& look) {
  Checkup& found = look.found;
  const std::string header = read_header(path);
  require_ours(path, header);
  if (const auto log = damage_of_log(path, mode))
    found.damages.push_back({std::to_string(log->lost_frames) + " of the " +
                                 std::to_string(log->usable_frames + log->lost_frames) +
                                 " pages of the log cannot be used",
                             "what was saved last may be missing, and is trained again"});
  std::string readable = path;
  if (right_header(header) != header || has_other_size(path, header) || !opens(path)) {
    found.damages.push_back({"the header of the file is damaged, or its end is missing", "nothing by itself"});
    look.copy.emplace(path);
    readable = look.copy->path();
  }
  try {
    look.database.emplace(open_to_look(readable));
    look_at_format(*look.database, path, found);
    look.scan.emplace(*look.database);
    look.scan->look();
  } catch (const SQLite::Exception& error) {
    if (is_passing(error.getExtendedErrorCode())) throw;
    found.damages.push_back({std::string("the file cannot be read: ") + error.what(), "every run is trained again"});
    look.scan.reset();
    return;
  }
  const StoreScan& scan = *look.scan;
  found.damages.insert(found.damages.end(), scan.damages.begin(), scan.damages.end());
  found.rows = scan.rows;
  for (const auto& [id, run] : scan.runs) {
    if (run.whole()) ++found.runs;
    else found.lost_runs.push_back(id);
  }
  std::sort(found.lost_runs.begin(), found.lost_runs.end());
  if (found.whole()) return;
  for (const auto& [name, ids] : scan.members) {
    LackingStudy study{name.first, name.second, std::ssize(ids), 0};
    for (const std::string& id : ids) {
      const auto run = scan.runs.find(id);
      study.missing += run == scan.runs.end() || !run->second.whole() ? 1 : 0;
    }
    if (study.missing > 0) found.lacking.push_back(std::move(study));
  }
}

std::string resolved(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw Error(ErrorKind::missing, path + ": there is no store here", "give --store the path of a store");
  return fs::canonical(path).string();
}

// A second name for the file as it is. The log goes with it, before the new store comes: it must never meet another.
std::string put_aside(const std::string& path) {
  const std::string aside = name_aside(path);
  std::error_code problem;
  fs::create_hard_link(path, aside, problem);
  if (!problem && has_log(path)) {
    fs::create_hard_link(log_path(path), log_path(aside), problem);
    if (!problem) fs::remove(log_path(path), problem);
  }
  if (problem)
    throw Error(ErrorKind::resources, path + ": the damaged file cannot be put aside: " + problem.message(),
                "copy the store to a folder where you may write, and repair it there");
  fs::remove(path + "-shm", problem);
  return aside;
}

Checkup repaired(const std::string& path) {
  const WriterLock lock(path);
  Look look;
  look_at(path, Store::Mode::write, look);
  if (look.found.whole()) return std::move(look.found);
  const std::string fresh = path + ".repaired";
  std::error_code ignored;
  fs::remove(fresh, ignored);  // of a repair that was stopped
  {
    SQLite::Database clean = make_store(fresh);
    with_store_errors(clean, fresh, [&] {
      if (look.scan) look.scan->copy_to(clean);
    });
  }
  look.scan.reset();
  look.database.reset();
  look.copy.reset();
  look.found.aside = put_aside(path);
  fs::rename(fresh, path);
  sync_folder_of(path);
  return std::move(look.found);
}

}  // namespace

Checkup check_store(const std::string& path) {
  try {
    Look look;
    look_at(resolved(path), Store::Mode::read, look);
    return std::move(look.found);
  } catch (const SQLite::Exception& error) {
    throw_store_error(error, path, 0);
  }
}

Checkup repair_store(const std::string& path) {
  try {
    return repaired(resolved(path));
  } catch (const SQLite::Exception& error) {
    throw_store_error(error, path, 0);
  }
}

}  // namespace atto
