#include "lab/store/run_table.h"

#include <xxhash.h>

#include <string>

#include "lab/store/disk/file.h"

namespace atto {
namespace {

// The entries of the index, which must ascend: only then a search by an id finds its entry.
KeyTally tally_of_index(Store::State& state) {
  KeyTally entries;
  std::string last;
  const StatementUse index(
      state.statement("SELECT id, rowid FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY id"));
  while (index->executeStep()) {
    const SQLite::Column id = index->getColumn(0);
    const std::string_view key(static_cast<const char*>(id.getBlob()), static_cast<size_t>(id.getBytes()));
    if (!id.isText() || key <= last) RowReader::damaged("an index is out of order");
    entries.add(key, index->getColumn(1).getInt64());
    last = key;
  }
  return entries;
}

}  // namespace

void KeyTally::add(std::string_view key, int64_t row) {
  ++count_;
  sum_ += XXH3_64bits_withSeed(key.data(), key.size(), static_cast<uint64_t>(row));
}

void each_run(Store::State& state, const std::function<void(Store::State::RunRow&&)>& use) {
  check_pages(state.database, "runs");
  KeyTally rows;
  RowReader row(state.statement("SELECT *, typeof(id), rowid FROM runs NOT INDEXED ORDER BY rowid"));
  while (row.next()) {
    Store::State::RunRow run = Store::State::read_run(row);
    const auto [type, number] = row.after_checksum();
    if (type != "text") RowReader::damaged("an id is no text");
    rows.add(run.summary.id, number);
    use(std::move(run));
  }
  if (rows != tally_of_index(state)) RowReader::damaged("the index of 'runs' has other rows than the table");
}

}  // namespace atto
