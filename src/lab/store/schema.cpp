#include "lab/store/schema.h"

#include <sqlite3.h>

#include <array>
#include <set>

#include "lab/store/store.h"

namespace atto {
namespace {

// What depends on when or how fast a run was made is kept apart, in `timings`, `checkpoints` and `questions`, so that
// the other tables are a function of the runs asked for.
constexpr std::array<TableSchema, 9> kTables{{
    {"meta", 1, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)"},
    {"runs", 1, R"(CREATE TABLE runs (id TEXT PRIMARY KEY, engine_revision INTEGER NOT NULL, config TEXT NOT NULL,
  init_seed INTEGER NOT NULL, data_seed INTEGER NOT NULL, steps_done INTEGER NOT NULL, diverged_at INTEGER,
  stopped_early INTEGER NOT NULL, best_loss REAL, series_count INTEGER NOT NULL, weights_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL))"},
    {"series", 1,
     R"(CREATE TABLE series (run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  address TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, steps BLOB NOT NULL, data BLOB NOT NULL,
  checksum INTEGER NOT NULL, UNIQUE (run_id, address)))"},
    {"weights", 1,
     R"(CREATE TABLE weights (run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  name TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL,
  UNIQUE (run_id, name)))"},
    {"timings", 1,
     R"(CREATE TABLE timings (run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE, seconds REAL NOT NULL,
  checksum INTEGER NOT NULL))"},
    {"members", 1,
     R"(CREATE TABLE members (study TEXT NOT NULL, profile TEXT NOT NULL, position INTEGER NOT NULL, cell TEXT NOT NULL,
  seed INTEGER NOT NULL, run_id TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (study, profile, position)))"},
    {"verdicts", 1,
     R"(CREATE TABLE verdicts (study TEXT NOT NULL, profile TEXT NOT NULL, json TEXT NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (study, profile)))"},
    {"checkpoints", 2,
     R"(CREATE TABLE checkpoints (run_id TEXT PRIMARY KEY, engine_revision INTEGER NOT NULL, step INTEGER NOT NULL,
  calm_steps INTEGER NOT NULL, seconds REAL NOT NULL, parameters BLOB NOT NULL, optimizer BLOB NOT NULL,
  extra BLOB NOT NULL, measured BLOB NOT NULL, checksum INTEGER NOT NULL))"},
    {"questions", 3,
     R"(CREATE TABLE questions (study TEXT NOT NULL, profile TEXT NOT NULL, claim TEXT NOT NULL, position INTEGER NOT NULL,
  hash TEXT NOT NULL, text TEXT NOT NULL, runs_before INTEGER NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (study, profile, claim, position)))"},
}};

int format_of(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

const TableSchema* find_table(const std::string& name, int format) {
  for (const TableSchema& table : kTables)
    if (name == table.name && table.since <= format) return &table;
  return nullptr;
}

// SQLite makes these for the keys of a table; they have no text of their own.
bool is_key_index(const std::string& type, const std::string& name, bool has_text) {
  return type == "index" && name.starts_with("sqlite_autoindex_") && !has_text;
}

[[noreturn]] void refuse(const std::string& what) { throw SQLite::Exception(what, SQLITE_CORRUPT); }

}  // namespace

std::span<const TableSchema> store_tables() { return kTables; }

void create_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.exec("PRAGMA user_version = " + std::to_string(kStoreFormat));
  for (const TableSchema& table : kTables) database.exec(table.sql);
  database.exec("INSERT INTO meta VALUES ('program', 'Attoscope'), ('format', '" + std::to_string(kStoreFormat) + "')");
  transaction.commit();
}

void migrate(SQLite::Database& database) {
  // The format is asked of SQLite: the header in the file may lag behind the log.
  if (format_of(database) == kStoreFormat) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int found = format_of(database);  // another program may have done it while this one waited for its turn
  if (found == kStoreFormat) return;
  for (const TableSchema& table : kTables)
    if (table.since > found) database.exec(table.sql);
  database.exec("PRAGMA user_version = " + std::to_string(kStoreFormat));
  database.exec("UPDATE meta SET value = '" + std::to_string(kStoreFormat) + "' WHERE key = 'format'");
  transaction.commit();
}

bool has_tables(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
}

void require_schema(SQLite::Database& database) {
  const SQLite::Transaction one_moment(database);  // a writer may be bringing an old store up to date
  const int format = format_of(database);
  std::set<std::string> found;
  SQLite::Statement rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  while (rows.executeStep()) {
    const std::string type = rows.getColumn(0).getString(), name = rows.getColumn(1).getString(),
                      of = rows.getColumn(2).getString();
    const bool has_text = !rows.getColumn(3).isNull();
    if (is_key_index(type, name, has_text) && find_table(of, format) != nullptr) continue;
    const TableSchema* const table = type == "table" && of == name ? find_table(name, format) : nullptr;
    if (table == nullptr) refuse("it holds the " + type + " '" + name + "', which is no part of a store");
    if (!has_text || rows.getColumn(3).getString() != table->sql)
      refuse("its table '" + name + "' is not as this program makes it");
    found.insert(name);
  }
  for (const TableSchema& table : kTables)
    if (table.since <= format && !found.contains(table.name))
      refuse("it lacks the table '" + std::string(table.name) + "'");
}

}  // namespace atto
