#include "lab/store/disk/file.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "lab/store/disk/file_system.h"
#include "lab/store/disk/gathered_writes.h"
#include "lab/store/disk/log.h"
#include "lab/store/disk/page_cache.h"
#include "lab/store/errors.h"
#include "lab/store/lock.h"
#include "lab/store/row.h"
#include "lab/store/schema.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kCheckedWhole = 64'000'000;  // bytes; checking so many takes a tenth of a second
constexpr int kBusyMilliseconds = 5000;        // how long to wait for another program's transaction

// The first 100 bytes of the file tell what it is. They are read through SQLite's own handle: closing another
// descriptor of the same file would drop the locks of every connection that this process has on it (POSIX).
struct Header {
  int64_t file_size = 0;
  std::array<unsigned char, 100> bytes{};

  Header(const SQLite::Database& database, const std::string& path) {
    std::error_code error;  // SQLite itself would call a file of a single byte empty
    file_size = static_cast<int64_t>(fs::file_size(path, error));
    if (error) file_size = 0;
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file == nullptr || file->pMethods == nullptr) return;
    file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);  // a short read fills up with zeros
  }
  int64_t number(size_t offset) const {  // big-endian, unsigned
    int64_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | bytes[offset + i];
    return value;
  }
  bool is_database() const { return std::memcmp(bytes.data(), "SQLite format 3", 16) == 0; }
  int64_t promised_size() const {
    const int64_t page = number(16) >> 16;
    return number(28) * (page == 1 ? 65536 : page);
  }
  // The power failed while the tables were made: parts of the file are there, and a journal that takes them back.
  bool awaits_rollback(const std::string& path) const {
    std::error_code none;
    return file_size > 0 && std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; }) &&
           fs::file_size(path + "-journal", none) > 0 && !none;
  }
  // Before anything else touches the file: opening somebody else's database in earnest might already change it.
  void require_store(const std::string& path) const {
    if (!is_database()) throw Error(ErrorKind::store, path + ": this file is not an Attoscope store", kElsewhere);
    if (file_size < static_cast<int64_t>(bytes.size())) throw_damaged(path, "it is cut short within its header");
    if (number(68) != kApplicationId)
      throw Error(ErrorKind::store, path + ": this is an SQLite database, but not an Attoscope store", kElsewhere);
    if (number(60) < kOldestFormat || number(60) > kStoreFormat)
      throw Error(ErrorKind::store,
                  path + ": this store has format " + std::to_string(number(60)) +
                      ", this program knows formats up to " + std::to_string(kStoreFormat),
                  "use the version of atto that wrote it, or " + std::string(kElsewhere));
  }
};

// A file may come from anybody. So SQLite checks the structure it would take for granted, runs nothing that the file
// brings along, lets no statement write into its own tables, and has no room for more than our statements need. Nor
// does it look up, for each series, the run that it belongs to: both are written and removed in one transaction
// (State::insert, State::remove).
void configure(SQLite::Database& database) {
  sqlite3* const handle = database.getHandle();
  for (const auto& [setting, on] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                    {SQLITE_DBCONFIG_ENABLE_FKEY, 0}})
    sqlite3_db_config(handle, setting, on, nullptr);
  for (const auto& [limit, most] : {std::pair{SQLITE_LIMIT_LENGTH, static_cast<int>(kLargestBlob)},
                                    {SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                    {SQLITE_LIMIT_COLUMN, 32},
                                    {SQLITE_LIMIT_EXPR_DEPTH, 20},
                                    {SQLITE_LIMIT_COMPOUND_SELECT, 8},
                                    {SQLITE_LIMIT_VDBE_OP, 25'000},
                                    {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                    {SQLITE_LIMIT_ATTACHED, 1},
                                    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
                                    {SQLITE_LIMIT_VARIABLE_NUMBER, 64},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 4}})
    sqlite3_limit(handle, limit, most);
  database.exec("PRAGMA cell_size_check = ON");
}

[[noreturn]] void throw_nothing_yet(const std::string& path) {
  throw Error(ErrorKind::missing, path + ": nothing is stored here yet",
              "run a study first; if one has just been started, ask again");
}

// "id" of CREATE TABLE runs (id TEXT ...: every key begins with the first column.
std::string first_column(const TableSchema& table) {
  const std::string sql = table.sql;
  const size_t start = sql.find('(') + 1;
  return sql.substr(start, sql.find(' ', start) - start);
}

// What can be seen of a file in a moment, however large it is: that nothing was cut off, and the way to both ends of
// every table and of the index of its key. SQLite looks at every page on the way.
void check_ends(SQLite::Database& database, const Header& header) {
  if (header.file_size < header.promised_size()) RowReader::damaged("it is cut short");
  for (const TableSchema& table : store_tables()) {
    if (!database.tableExists(table.name)) continue;
    for (const std::string& key : {std::string("rowid"), first_column(table)})
      for (const char* direction : {" ASC", " DESC"})
        SQLite::Statement(database,
                          "SELECT " + key + " FROM " + table.name + " ORDER BY " + key + direction + " LIMIT 1")
            .executeStep();
  }
}

void set_up_writer(SQLite::Database& database, const Header& header, const std::string& path) {
  if (header.file_size > 0) header.require_store(path);
  const bool left_log = has_log(path);
  configure(database);
  // A writer killed while it made the tables leaves a file that SQLite takes back to empty. The tables are made before
  // the switch to WAL so that the header in the file itself, which require_store reads, is complete from the start.
  if (has_tables(database)) {
    require_schema(database);
    if (header.file_size <= kCheckedWhole) check_structure(database);
    else check_ends(database, header);
  } else {
    create_tables(database);
  }
  migrate(database);
  // FULL: a transaction is over when the disk has it, so what is reported as saved outlives a power failure. Moving the
  // log into the file waits for the disk, too, so it is done every 32 MB or so and not every 4.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000");
  keep_written_pages(database);
  // What a killed writer left of its last transaction must not lie behind the next ones: it would look like damage.
  if (left_log) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

void set_up_reader(SQLite::Database& database, const Header& header, const std::string& path) {
  if (header.file_size == 0) throw_nothing_yet(path);  // a writer makes the file first and fills it a moment later
  header.require_store(path);
  configure(database);
  database.exec("PRAGMA query_only = ON");
  if (!has_tables(database)) throw_nothing_yet(path);
  require_schema(database);
}

// The address of a file that SQLite may take for unchangeable.
std::string unchangeable(const std::string& path) {
  std::string address = "file:";
  for (const char c : path) {
    if (c == '%') address += "%25";
    else if (c == '?') address += "%3f";
    else if (c == '#') address += "%23";
    else address += c;
  }
  return address + "?immutable=1";
}

// Reading a store needs an index file beside it. Where none can be made, or other machines would have to see it, the
// file itself holds everything unless a writer was cut off there; SQLite may then take the file for unchangeable and
// does without.
SQLite::Database open_in_read_only_place(const std::string& path) {
  if (has_log(path))
    throw Error(
        ErrorKind::store,
        path + ": its last runs are still in the log " + path + "-wal, which needs a writable folder to be read",
        "copy both files to a folder on a local disk where you may write, and give --store that path");
  SQLite::Database database(unchangeable(path), SQLite::OPEN_NOMUTEX | SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  set_up_reader(database, Header(database, path), path);
  return database;
}

bool lacks_files_beside(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
}

void require_usable(const std::string& path, Store::Mode mode) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (mode == Store::Mode::write) return;
    throw Error(ErrorKind::missing, path + ": there is no store here",
                "run a study first, or give --store the path of a store");
  }
  if (fs::is_directory(status))
    throw Error(ErrorKind::store, path + ": this is a folder, not a store", "give --store the path of a file");
  if (!fs::is_regular_file(status)) throw Error(ErrorKind::store, path + ": this is not a regular file", kElsewhere);
  if (mode == Store::Mode::write && access(path.c_str(), W_OK) != 0) throw_not_writable(path, system_message(errno));
  if (access(path.c_str(), R_OK) != 0)
    throw Error(ErrorKind::missing, path + ": the store cannot be read: " + system_message(errno),
                "change the permissions or give --store another path");
}

// SQLite counts its memory for all connections under one lock, for which the two threads of a merge would wait. Nobody
// asks for the count. It is for the whole process, and must come before anything else of SQLite's; where the process
// has used SQLite before, nothing changes.
void count_no_memory() {
  static const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(code);
}

void require_ok(SQLite::Database& database, const std::string& pragma) {
  SQLite::Statement check(database, pragma);
  while (check.executeStep())
    if (const std::string answer = check.getColumn(0).getString(); answer != "ok")
      throw SQLite::Exception(answer, SQLITE_CORRUPT);
}

}  // namespace

SQLite::Database open_store(const std::string& path, Store::Mode mode) {
  require_usable(path, mode);
  count_no_memory();
  if (mode == Store::Mode::read && !shared_file_system(path).empty()) {
    try {
      return open_in_read_only_place(path);
    } catch (const SQLite::Exception& error) {
      throw_store_error(error, path, 0);
    }
  }
  // Readers, too, ask for write access: a connection without it leaves its -wal and -shm files behind when it closes.
  // A store belongs to one thread at a time, so its connection needs no lock of its own for every value of a row.
  const int flags =
      SQLite::OPEN_NOMUTEX | SQLite::OPEN_READWRITE | (mode == Store::Mode::write ? SQLite::OPEN_CREATE : 0);
  try {
    SQLite::Database database(path.c_str(), flags, kBusyMilliseconds,
                              mode == Store::Mode::write ? gathering_vfs() : nullptr);
    Header header(database, path);
    try {
      if (header.awaits_rollback(path)) {
        has_tables(database);  // SQLite looks at the journal first
        header = Header(database, path);
      }
      mode == Store::Mode::write ? set_up_writer(database, header, path) : set_up_reader(database, header, path);
      return database;
    } catch (const SQLite::Exception& error) {
      if (mode == Store::Mode::read && lacks_files_beside(error)) return open_in_read_only_place(path);
      if (error.getErrorCode() == SQLITE_CORRUPT && header.file_size < header.promised_size())
        throw_damaged(path, "it is cut short, " + std::to_string(header.file_size) + " of " +
                                std::to_string(header.promised_size()) + " bytes are left");
      throw_store_error(error, path, last_system_error(database));
    }
  } catch (const SQLite::Exception& error) {
    throw_store_error(error, path, 0);
  }
}

bool is_checked_whole(const std::string& path) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  return none || size <= static_cast<uintmax_t>(kCheckedWhole);  // one in memory is no file
}

std::optional<LogDamage> damage_of_log(const std::string& path, Store::Mode mode) {
  if (!has_log(path)) return std::nullopt;
  auto damage = find_log_damage(path);
  if (!damage || mode == Store::Mode::write) return damage;
  // A reader may have looked while a writer was at work: only a log that nobody writes to can be judged.
  const WriterAbsence nobody(path);
  return nobody ? find_log_damage(path) : std::nullopt;
}

SQLite::Database make_store(const std::string& path) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  configure(database);
  create_tables(database);
  return database;
}

SQLite::Database open_to_look(const std::string& path) {
  const bool own = access(fs::path(path).parent_path().c_str(), W_OK) == 0 && shared_file_system(path).empty();
  const bool changeable = own || has_log(path);
  SQLite::Database database(changeable ? path : unchangeable(path),
                            changeable ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                            kBusyMilliseconds);
  configure(database);
  keep_read_pages(database, path);
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  int keep_log = 1;
  sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep_log);
  database.exec("PRAGMA query_only = ON");
  return database;
}

void check_structure(SQLite::Database& database, const std::string& table) {
  require_ok(database, "PRAGMA integrity_check" + (table.empty() ? std::string("(1)") : "('" + table + "')"));
}

void check_pages(SQLite::Database& database, const std::string& table) {
  require_ok(database, "PRAGMA quick_check('" + table + "')");
}

}  // namespace atto
