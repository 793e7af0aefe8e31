#include "lab/store/file.h"

#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "lab/store/errors.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr int kApplicationId = 0x4174746F;  // "Atto" in the file's header
constexpr int kBusyMilliseconds = 5000;     // how long to wait for another program's transaction

constexpr int kOldestFormat = 1;  // that is still read; a writer brings it up to date

// New in format 2. Like `timings`, it depends on when and where a run was trained.
constexpr const char* kCheckpointsTable = R"(
CREATE TABLE checkpoints (run_id TEXT PRIMARY KEY, engine_revision INTEGER NOT NULL, step INTEGER NOT NULL,
  calm_steps INTEGER NOT NULL, seconds REAL NOT NULL, parameters BLOB NOT NULL, optimizer BLOB NOT NULL,
  extra BLOB NOT NULL, measured BLOB NOT NULL, checksum INTEGER NOT NULL);
)";

// New in format 3. It tells what was asked before which runs, so it depends on the order of events.
constexpr const char* kQuestionsTable = R"(
CREATE TABLE questions (study TEXT NOT NULL, profile TEXT NOT NULL, claim TEXT NOT NULL, position INTEGER NOT NULL,
  hash TEXT NOT NULL, text TEXT NOT NULL, runs_before INTEGER NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (study, profile, claim, position));
)";

// docs/store-format.md explains these tables; change kStoreFormat with them. What depends on when or how fast a run was
// made is kept apart, in `timings`, so that the other tables are a function of the runs asked for.
constexpr const char* kSchema = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (id TEXT PRIMARY KEY, engine_revision INTEGER NOT NULL, config TEXT NOT NULL,
  init_seed INTEGER NOT NULL, data_seed INTEGER NOT NULL, steps_done INTEGER NOT NULL, diverged_at INTEGER,
  stopped_early INTEGER NOT NULL, best_loss REAL, series_count INTEGER NOT NULL, weights_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL);
CREATE TABLE series (run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  address TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, steps BLOB NOT NULL, data BLOB NOT NULL,
  checksum INTEGER NOT NULL, UNIQUE (run_id, address));
CREATE TABLE weights (run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  name TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL,
  UNIQUE (run_id, name));
CREATE TABLE timings (run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE, seconds REAL NOT NULL,
  checksum INTEGER NOT NULL);
CREATE TABLE members (study TEXT NOT NULL, profile TEXT NOT NULL, position INTEGER NOT NULL, cell TEXT NOT NULL,
  seed INTEGER NOT NULL, run_id TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (study, profile, position));
CREATE TABLE verdicts (study TEXT NOT NULL, profile TEXT NOT NULL, json TEXT NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (study, profile));
)";

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

// The checks of structure that SQLite leaves out by default, and no trust in what a damaged schema may say.
void configure(SQLite::Database& database) {
  database.exec("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON");
}

void create_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.exec("PRAGMA user_version = " + std::to_string(kStoreFormat));
  database.exec(kSchema);
  database.exec(kCheckpointsTable);
  database.exec(kQuestionsTable);
  database.exec("INSERT INTO meta VALUES ('program', 'Attoscope'), ('format', '" + std::to_string(kStoreFormat) + "')");
  transaction.commit();
}

// All at once or not at all. The format is asked of SQLite: the header in the file may lag behind the log.
void migrate(SQLite::Database& database) {
  if (database.execAndGet("PRAGMA user_version").getInt() == kStoreFormat) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another program may have done it while this one waited for its turn.
  const int found = database.execAndGet("PRAGMA user_version").getInt();
  if (found == kStoreFormat) return;
  if (found < 2) database.exec(kCheckpointsTable);
  if (found < 3) database.exec(kQuestionsTable);
  database.exec("PRAGMA user_version = " + std::to_string(kStoreFormat));
  database.exec("UPDATE meta SET value = '" + std::to_string(kStoreFormat) + "' WHERE key = 'format'");
  transaction.commit();
}

void set_up_writer(SQLite::Database& database, const Header& header, const std::string& path) {
  if (header.file_size > 0) header.require_store(path);
  configure(database);
  // A writer killed while it made the tables leaves a file that SQLite takes back to empty. The tables are made before
  // the switch to WAL so that the header in the file itself, which require_store reads, is complete from the start.
  if (database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0) create_tables(database);
  else check_structure(database);
  migrate(database);
  // Moving the log into the file waits for the disk, so it is done every 32 MB or so and not every 4.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000");
}

void set_up_reader(SQLite::Database& database, const Header& header, const std::string& path) {
  if (header.file_size == 0) throw Error(ErrorKind::store, path + ": this file is empty, not a store", kElsewhere);
  header.require_store(path);
  configure(database);
  database.exec("PRAGMA query_only = ON");
  database.execAndGet("SELECT count(*) FROM sqlite_schema");
}

// Reading a store needs an index file beside it. Where none can be made, the file itself holds everything unless a
// writer was cut off there; SQLite may then take the file for unchangeable and does without.
SQLite::Database open_in_read_only_place(const std::string& path) {
  std::error_code none;
  const auto log_size = fs::file_size(path + "-wal", none);
  if (!none && log_size > 0)
    throw Error(
        ErrorKind::store,
        path + ": its last runs are still in the log " + path + "-wal, which needs a writable folder to be read",
        "copy both files to a folder where you may write, and give --store that path");
  std::string address = "file:";
  for (const char c : path) {
    if (c == '%') address += "%25";
    else if (c == '?') address += "%3f";
    else if (c == '#') address += "%23";
    else address += c;
  }
  SQLite::Database database(address + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
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

}  // namespace

SQLite::Database open_store(const std::string& path, Store::Mode mode) {
  require_usable(path, mode);
  // Readers, too, ask for write access: a connection without it leaves its -wal and -shm files behind when it closes.
  const int flags = SQLite::OPEN_READWRITE | (mode == Store::Mode::write ? SQLite::OPEN_CREATE : 0);
  try {
    SQLite::Database database(path, flags, kBusyMilliseconds);
    const Header header(database, path);
    try {
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

SQLite::Database make_store_in_memory() {
  SQLite::Database database(kInMemory, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  configure(database);
  create_tables(database);
  return database;
}

void check_structure(SQLite::Database& database, const std::string& table) {
  SQLite::Statement check(database,
                          "PRAGMA integrity_check" + (table.empty() ? std::string("(1)") : "('" + table + "')"));
  while (check.executeStep())
    if (const std::string answer = check.getColumn(0).getString(); answer != "ok")
      throw SQLite::Exception(answer, SQLITE_CORRUPT);
}

}  // namespace atto
