// Reading what can still be read of a file that may be damaged anywhere. Internal to the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lab/store/check/check.h"
#include "lab/store/schema.h"

namespace atto {

// What was found of a run; it is whole when all that belongs to it is.
struct RunTally {
  bool row = false, timing = false;
  int64_t series_asked = 0, weights_asked = 0;
  std::vector<int64_t> series, weights;  // positions of the rows found

  bool whole() const;
};

class StoreScan {
 public:
  explicit StoreScan(SQLite::Database& database) : database_(database) {}

  void look();  // at everything; fills what follows

  std::vector<Damage> damages;
  std::unordered_map<std::string, RunTally> runs;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> members;  // run ids by study and profile
  int64_t rows = 0;

  // Copies what is whole into a new store.
  void copy_to(SQLite::Database& clean);

 private:
  // A row of SELECT rowid, * …; the columns of the table begin at 1.
  using UseRow = std::function<void(SQLite::Statement& row)>;

  bool has_table(const TableSchema& table);
  // Every row that can be reached; false when some cannot.
  bool each_row(const TableSchema& table, const UseRow& use);
  RunTally& tally(SQLite::Statement& row);  // of the run that a row belongs to
  bool fits(const TableSchema& table, SQLite::Statement& row) const;
  void note(const TableSchema& table, SQLite::Statement& row);
  void look_at(const TableSchema& table);
  void look_at_structure();
  bool is_wanted(const TableSchema& table, SQLite::Statement& row) const;

  SQLite::Database& database_;
  std::pair<const std::string, RunTally>* last_ = nullptr;  // whose row came last: the rows of a run stand together
};

}  // namespace atto
