// Rows taken from one store into another as they stand. Internal to the store.
//
// Straight on SQLite's own functions: a small run is eight rows, and what a wrapper does for each of their sixty
// columns takes longer than copying them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lab/store/row.h"

struct sqlite3;
struct sqlite3_stmt;

namespace atto {

class RawStatement {
 public:
  RawStatement(SQLite::Database& database, const char* sql);
  ~RawStatement();
  RawStatement(const RawStatement&) = delete;
  RawStatement& operator=(const RawStatement&) = delete;

  sqlite3_stmt* get() const { return statement_; }
  bool step();    // true: there is a row
  void finish();  // to its end, of one that gives no rows; it can then be used again
  int changes() const;  // rows that it changed last

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

// The rows of a SELECT * in turn, each compared with its checksum before it is copied.
class SourceRows {
 public:
  SourceRows(SQLite::Database& database, const char* sql) : select_(database, sql) {}

  void where(std::string_view first, std::string_view second);  // texts of its two places
  bool next();
  bool there() const { return there_; }  // after next()
  std::string_view text(int column) const;  // as long as it stands at this row
  int64_t integer(int column) const;
  int64_t verify();                     // the row's checksum; throws SQLITE_CORRUPT where it does not fit the row
  void copy(RawStatement& insert);      // of the row that was verified

 private:
  struct Field {
    int type = 0;
    int64_t whole = 0;
    double real = 0;
    const void* data = nullptr;
    int size = 0;
  };

  RawStatement select_;
  RowHash hash_;
  std::array<Field, 16> fields_;
  int count_ = 0;  // of fields, without the checksum
  int64_t checksum_ = 0;
  bool there_ = false;
};

}  // namespace atto
