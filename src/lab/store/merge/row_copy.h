// Rows taken from one store into another as they stand. Internal to the store.
//
// Straight on SQLite's own functions: a small run is eight rows, and what a wrapper does for each of their sixty
// columns takes longer than copying them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/store/row.h"

struct sqlite3;
struct sqlite3_stmt;

namespace atto {

class RawStatement {
 public:
  RawStatement(SQLite::Database& database, const std::string& sql);
  ~RawStatement();
  RawStatement(const RawStatement&) = delete;
  RawStatement& operator=(const RawStatement&) = delete;

  sqlite3_stmt* get() const { return statement_; }
  bool step();          // true: there is a row
  void finish();        // to its end, of one that gives no rows; it can then be used again
  int changes() const;  // rows that it changed last

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

// A value of a row. Texts and blobs are somebody else's.
struct RowField {
  int type = 0;  // as SQLite counts them
  int64_t whole = 0;
  double real = 0;
  const char* data = nullptr;
  int size = 0;
};

// Rows apart from the store that they come from: they can be entered elsewhere while that one is read on.
class HeldRows {
 public:
  void hold(const RowField* fields, int count, int64_t checksum);
  size_t size() const { return rows_.size(); }
  size_t bytes() const { return bytes_.size(); }

  std::string_view text(size_t row, int column) const;
  int64_t integer(size_t row, int column) const { return field(row, column).whole; }
  int64_t checksum(size_t row) const { return rows_[row].checksum; }
  void copy(size_t row, RawStatement& insert) const;
  // Binds the row's values to the places after `place`; the last place that it took. They stay here until it is done.
  int bind(size_t row, RawStatement& insert, int place) const;

 private:
  struct Row {
    size_t first = 0;  // of its fields
    int count = 0;     // without the checksum
    int64_t checksum = 0;
  };
  struct Field {
    RowField value;
    size_t at = 0;  // of its data in bytes_
  };
  const RowField& field(size_t row, int column) const;
  const char* data(const Field& field) const { return bytes_.data() + field.at; }

  std::vector<Row> rows_;
  std::vector<Field> fields_;
  std::string bytes_;
};

// Enters rows of a table, several to a statement.
class RowInserter {
 public:
  RowInserter(SQLite::Database& database, const std::string& table, int columns);

  void enter(const HeldRows& rows, size_t row);
  void finish();  // those that still wait; before the rows go

 private:
  RawStatement several_, single_;
  std::vector<std::pair<const HeldRows*, size_t>> waiting_;
};

// The rows of a SELECT * in turn, each compared with its checksum before it is copied.
class SourceRows {
 public:
  SourceRows(SQLite::Database& database, const std::string& sql) : select_(database, sql) {}

  void where(std::string_view first, std::string_view second);  // texts of its two places
  bool next();
  bool there() const { return there_; }     // after next()
  std::string_view text(int column) const;  // as long as it stands at this row
  int64_t integer(int column) const;
  bool is_null(int column) const;
  int64_t verify();  // the row's checksum; throws SQLITE_CORRUPT where it does not fit the row
  // Of the row that was verified:
  void copy(RawStatement& insert) const;
  void hold(HeldRows& rows) const { rows.hold(fields_.data(), count_, checksum_); }

 private:
  RawStatement select_;
  RowHash hash_;
  std::array<RowField, 16> fields_;
  int count_ = 0;  // of fields, without the checksum
  int64_t checksum_ = 0;
  bool there_ = false;
};

}  // namespace atto
