// Opening the store's file: is it a store, of which format, is it whole? Internal to the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>

#include "lab/store/disk/log.h"
#include "lab/store/store.h"

namespace atto {

// An open connection to a file that is a store of this format. A writer (which holds the lock) gets a new store when
// there is none or an empty file, and an old one is checked, as writing into a damaged file spreads the damage: from
// end to end where that takes a moment (is_checked_whole), else both ends of every table and index, and the file's
// length.
SQLite::Database open_store(const std::string& path, Store::Mode mode);

// Is a store of this length checked from end to end when a writer opens it? A larger one is checked by `atto check`.
bool is_checked_whole(const std::string& path);

// What SQLite would silently leave out of the log when it opens the store; asked before it does. A writer holds the
// lock.
std::optional<LogDamage> damage_of_log(const std::string& path, Store::Mode mode);

// A new store at a path where there is nothing yet; kInMemory makes one that is no file.
SQLite::Database make_store(const std::string& path);
// A connection to whatever is there, damaged or not, that leaves the file and its log as they are.
SQLite::Database open_to_look(const std::string& path);

// Checks that a table is whole, or everything when `table` is empty; throws SQLITE_CORRUPT. A damaged page can hide
// rows, which no checksum of the rows that are left would show.
void check_structure(SQLite::Database& database, const std::string& table = "");
// The same of the pages alone, those of the table and of its indexes: not whether every row is in each index. Takes as
// long for each row however many there are.
void check_pages(SQLite::Database& database, const std::string& table);

}  // namespace atto
