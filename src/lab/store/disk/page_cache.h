// How much of a store its connection keeps in memory. Internal to the store.
//
// Ids are spread evenly, so whatever goes through a store in the order of its ids, or looks rows up by them, meets
// pages all over the file. SQLite's usual 2 MB hold few of them: every row would then read its page anew.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace atto {

// For whoever files runs: the pages that one transaction touches, so that none is written before it ends.
void keep_written_pages(SQLite::Database& database);

// For whoever goes through all of a file once: all of it, or its share of a quarter of the memory that is left, where
// so many files are read at the same time.
void keep_read_pages(SQLite::Database& database, const std::string& path, size_t files = 1);

}  // namespace atto
