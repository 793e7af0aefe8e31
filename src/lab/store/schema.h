// The store's tables, and what may be in a file beside them: nothing. Internal to the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

namespace atto {

inline constexpr int kApplicationId = 0x4174746F;  // "Atto" in the file's header
inline constexpr int kOldestFormat = 1;            // that is still read; a writer brings it up to date

struct TableSchema {
  const char* name;
  int since;        // the format that it came with
  const char* sql;  // CREATE TABLE …
};

// docs/store-format.md explains them; change kStoreFormat with them.
std::span<const TableSchema> store_tables();

void create_tables(SQLite::Database& database);
// Adds what a store of an older format lacks: all at once or not at all.
void migrate(SQLite::Database& database);

// Does the file hold any table at all? One that was cut off before its first transaction ended does not.
bool has_tables(SQLite::Database& database);
// Throws SQLITE_CORRUPT unless the tables are exactly those of the file's format. Whoever sends us a store could
// otherwise send triggers and views with it, which SQLite runs when it reads or writes.
void require_schema(SQLite::Database& database);

}  // namespace atto
