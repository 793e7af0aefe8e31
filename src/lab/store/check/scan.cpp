#include "lab/store/check/scan.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "lab/store/errors.h"
#include "lab/store/row.h"
#include "lab/store/shape.h"
#include "lab/store/store.h"

namespace atto {
namespace {

constexpr int64_t kBeyond = 100'000;  // row numbers that are tried one by one where the end of a table is not known
constexpr size_t kMostMessages = 5;   // of SQLite's about the structure; one flipped bit can cause a hundred

// What is said of a file is noted, what is said of the machine is not for a scan to answer.
void require_damage(const SQLite::Exception& error) {
  if (is_passing(error.getExtendedErrorCode())) throw;
}

// The checksum of a row, whatever it holds.
bool matches_checksum(SQLite::Statement& row) {
  const int last = row.getColumnCount() - 1;
  RowHash hash;
  for (int i = 1; i < last; ++i) {
    const SQLite::Column column = row.getColumn(i);
    if (column.isNull()) {
      hash.add('n', nullptr, 0);
    } else if (column.isInteger()) {
      const int64_t value = column.getInt64();
      hash.add('i', &value, sizeof value);
    } else if (column.isFloat()) {
      const double value = column.getDouble();
      hash.add('f', &value, sizeof value);
    } else {
      const void* const bytes = column.getBlob();
      hash.add(column.isText() ? 't' : 'b', bytes, static_cast<size_t>(column.getBytes()));
    }
  }
  return row.getColumn(last).isInteger() && row.getColumn(last).getInt64() == hash.value();
}

void bind_column(SQLite::Statement& to, int index, const SQLite::Column& column) {
  if (column.isNull()) to.bind(index);
  else if (column.isInteger()) to.bind(index, column.getInt64());
  else if (column.isFloat()) to.bind(index, column.getDouble());
  else if (column.isText()) to.bind(index, column.getString());
  else if (column.getBytes() == 0) to.bind(index, "", 0);  // a null pointer would bind NULL
  else to.bind(index, column.getBlob(), column.getBytes());
}

std::string text_at(SQLite::Statement& row, int column) { return row.getColumn(column).getString(); }

bool is_run_id(const std::string& id) {
  try {
    require_run_id(id);
    return true;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

// The numbers of a series or a matrix are as many as its shape says.
bool has_its_shape(SQLite::Statement& row, bool series) {
  const int data = series ? 7 : 6;
  const std::string type = text_at(row, 5);
  const size_t number = type == "<f8" ? sizeof(double) : sizeof(float);
  const auto bytes = static_cast<size_t>(row.getColumn(data).getBytes());
  const auto step_bytes = series ? static_cast<size_t>(row.getColumn(6).getBytes()) : sizeof(int64_t);
  if ((type != "<f8" && type != "<f4") || bytes % number != 0 || step_bytes % sizeof(int64_t) != 0) return false;
  try {
    const std::vector<int64_t> shape = parse_shape(text_at(row, 4));
    require_count(shape, step_bytes / sizeof(int64_t), bytes / number);
    return series ? (type == "<f8") == shape.empty() : type == "<f4" && shape.size() == 2;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

bool are_all(std::vector<int64_t> positions, int64_t count) {
  if (std::ssize(positions) != count) return false;
  std::sort(positions.begin(), positions.end());
  for (int64_t i = 0; i < count; ++i)
    if (positions[static_cast<size_t>(i)] != i) return false;
  return true;
}

bool is_table(const TableSchema& table, std::string_view name) { return name == table.name; }

// What it costs to lose rows of a table.
std::string cost_of(const TableSchema& table) {
  if (is_table(table, "meta")) return "nothing: it is written again";
  if (is_table(table, "timings")) return "how long a run took is not known any more";
  if (is_table(table, "members")) return "`atto show` does not know all runs of a study until it is run again";
  if (is_table(table, "verdicts")) return "verdicts of a study are missing until `atto reproduce` judges it again";
  if (is_table(table, "checkpoints")) return "a run that was not finished starts again at step 0";
  if (is_table(table, "questions")) return "a claim counts as stated after its runs, since nothing shows the contrary";
  return "the runs they belong to are trained again";
}

}  // namespace

bool RunTally::whole() const { return row && are_all(series, series_asked) && are_all(weights, weights_asked); }

bool StoreScan::has_table(const TableSchema& table) {
  try {
    return database_.tableExists(table.name);
  } catch (const SQLite::Exception& error) {
    require_damage(error);
    return false;
  }
}

bool StoreScan::each_row(const TableSchema& table, const UseRow& use) {
  const std::string from = std::string(" FROM ") + table.name + " NOT INDEXED ";
  int64_t last = std::numeric_limits<int64_t>::min();
  try {
    SQLite::Statement all(database_, "SELECT rowid, *" + from + "ORDER BY rowid");
    while (all.executeStep()) {
      const int64_t id = all.getColumn(0).getInt64();
      if (id <= last) RowReader::damaged("rows are out of order");
      last = id;
      use(all);
    }
    return true;
  } catch (const SQLite::Exception& error) {
    require_damage(error);
  }
  // Behind the place that cannot be read, others may be reached one by one.
  int64_t end = std::max<int64_t>(last, 0) + kBeyond;
  try {
    SQLite::Statement highest(database_, "SELECT rowid" + from + "ORDER BY rowid DESC LIMIT 1");
    if (highest.executeStep())
      end = std::min(highest.getColumn(0).getInt64(), std::max<int64_t>(last, 0) + 100 * kBeyond);
  } catch (const SQLite::Exception& error) {
    require_damage(error);
  }
  // One statement and one transaction for all of them, and no exceptions: there may be millions, and most lead nowhere.
  SQLite::Statement one(database_, "SELECT rowid, *" + from + "WHERE rowid = ?");
  const SQLite::Transaction one_moment(database_);
  for (int64_t id = std::max<int64_t>(last, 0) + 1; id <= end; ++id) {
    const StatementUse lookup(one);
    lookup->bind(1, id);
    const int result = lookup->tryExecuteStep();
    if (result != SQLITE_ROW) {
      if (is_passing(lookup->getExtendedErrorCode())) throw SQLite::Exception(database_.getHandle(), result);
      continue;
    }
    try {
      if (lookup->getColumn(0).getInt64() == id) use(one);
    } catch (const SQLite::Exception& error) {
      require_damage(error);
    }
  }
  return false;
}

bool StoreScan::fits(const TableSchema& table, SQLite::Statement& row) const {
  if (is_table(table, "meta"))
    return text_at(row, 1) == "program" ? text_at(row, 2) == "Attoscope" : text_at(row, 1) == "format";
  if (!matches_checksum(row)) return false;
  if (is_table(table, "runs") || is_table(table, "timings") || is_table(table, "checkpoints"))
    return is_run_id(text_at(row, 1));
  if (is_table(table, "series") || is_table(table, "weights"))
    return is_run_id(text_at(row, 1)) && has_its_shape(row, is_table(table, "series"));
  return !is_table(table, "members") || is_run_id(text_at(row, 6));
}

RunTally& StoreScan::tally(SQLite::Statement& row) {
  std::string id = text_at(row, 1);
  if (last_ == nullptr || last_->first != id) last_ = &*runs.try_emplace(std::move(id)).first;
  return last_->second;
}

void StoreScan::note(const TableSchema& table, SQLite::Statement& row) {
  ++rows;
  if (is_table(table, "members")) {
    members[{text_at(row, 1), text_at(row, 2)}].push_back(text_at(row, 6));
  } else if (is_table(table, "runs")) {
    RunTally& run = tally(row);
    run.row = true;
    run.series_asked = row.getColumn(10).getInt64();
    run.weights_asked = row.getColumn(11).getInt64();
  } else if (is_table(table, "series")) {
    tally(row).series.push_back(row.getColumn(2).getInt64());
  } else if (is_table(table, "weights")) {
    tally(row).weights.push_back(row.getColumn(2).getInt64());
  } else if (is_table(table, "timings")) {
    tally(row).timing = true;
  }
}

void StoreScan::look_at(const TableSchema& table) {
  if (!has_table(table)) return;
  int64_t bad = 0;
  const bool all = each_row(table, [&](SQLite::Statement& row) {
    if (fits(table, row)) note(table, row);
    else ++bad;
  });
  const std::string name = std::string("'") + table.name + "'";
  if (!all) damages.push_back({"not every row of " + name + " can be reached", cost_of(table)});
  if (bad > 0)
    damages.push_back({std::to_string(bad) + (bad == 1 ? " row of " : " rows of ") + name +
                           (bad == 1 ? " does not match its checksum" : " do not match their checksums"),
                       cost_of(table)});
}

void StoreScan::look_at_structure() {
  const std::string cost = "what is behind it may be lost; the lines below say what";
  try {
    require_schema(database_);
  } catch (const SQLite::Exception& error) {
    require_damage(error);
    damages.push_back({error.what(), "nothing else in the file is trusted without a look"});
  }
  try {
    SQLite::Statement check(database_, "PRAGMA integrity_check(" + std::to_string(kMostMessages) + ")");
    while (check.executeStep())
      if (const std::string answer = text_at(check, 0); answer != "ok")
        damages.push_back({"structure: " + answer, cost});
  } catch (const SQLite::Exception& error) {
    require_damage(error);
    damages.push_back({std::string("structure: ") + error.what(), cost});
  }
}

void StoreScan::look() {
  look_at_structure();
  for (const TableSchema& table : store_tables()) look_at(table);
  last_ = nullptr;
  std::erase_if(runs, [](const auto& one) { return !one.second.row && one.second.series.empty(); });
  const auto lost = std::count_if(runs.begin(), runs.end(), [](const auto& one) { return !one.second.whole(); });
  if (lost > 0)
    damages.push_back({std::to_string(lost) + (lost == 1 ? " run is" : " runs are") + " not complete",
                       lost == 1 ? "it is trained again" : "they are trained again"});
  const auto untimed =
      std::count_if(runs.begin(), runs.end(), [](const auto& one) { return one.second.whole() && !one.second.timing; });
  if (untimed > 0)
    damages.push_back({std::to_string(untimed) + (untimed == 1 ? " run lacks its" : " runs lack their") + " timing",
                       "how long a run took is not known any more"});
}

bool StoreScan::is_wanted(const TableSchema& table, SQLite::Statement& row) const {
  if (!fits(table, row)) return false;
  for (const char* part : {"runs", "series", "weights", "timings"}) {
    if (!is_table(table, part)) continue;
    const auto run = runs.find(text_at(row, 1));
    return run != runs.end() && run->second.whole();
  }
  return true;
}

void StoreScan::copy_to(SQLite::Database& clean) {
  SQLite::Transaction transaction(clean, SQLite::TransactionBehavior::IMMEDIATE);
  for (const TableSchema& table : store_tables()) {
    if (is_table(table, "meta") || !has_table(table)) continue;
    std::optional<SQLite::Statement> insert;
    each_row(table, [&](SQLite::Statement& row) {
      if (!is_wanted(table, row)) return;
      if (!insert) {
        std::string places;
        for (int i = 1; i < row.getColumnCount(); ++i) places += i == 1 ? "?" : ", ?";
        insert.emplace(clean, std::string("INSERT OR IGNORE INTO ") + table.name + " VALUES (" + places + ")");
      }
      for (int i = 1; i < row.getColumnCount(); ++i) bind_column(*insert, i, row.getColumn(i));
      insert->exec();
      insert->reset();
    });
  }
  for (const auto& [id, run] : runs) {
    if (!run.whole() || run.timing) continue;
    SQLite::Statement insert(clean, "INSERT OR IGNORE INTO timings VALUES (?, ?, ?)");
    RowWriter(insert).text(id).real(0).insert();
  }
  transaction.commit();
}

}  // namespace atto
