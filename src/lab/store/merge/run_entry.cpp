#include "lab/store/merge/run_entry.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"

namespace atto {
namespace {

using Checksums = std::vector<std::pair<int64_t, int64_t>>;  // by position

Checksums checksums(const HeldRows& rows, size_t first, size_t count) {
  Checksums all;
  for (size_t i = first; i < first + count; ++i) all.emplace_back(rows.integer(i, 1), rows.checksum(i));
  std::sort(all.begin(), all.end());
  return all;
}

Checksums parts_of(Store::State& store, const std::string& table, const std::string& id) {
  Checksums all;
  const StatementUse select(
      store.statement(("SELECT position, checksum FROM " + table + " WHERE run_id = ? ORDER BY position").c_str()));
  select->bind(1, id);
  while (select->executeStep()) all.emplace_back(select->getColumn(0).getInt64(), select->getColumn(1).getInt64());
  return all;
}

}  // namespace

RunEntry::RunEntry(Store::State& into, std::span<Store::State* const> sources)
    : into_(into),
      sources_(sources),
      insert_run_(into.database, "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      series_(into.database, "series", 8),
      weights_(into.database, "weights", 7),
      timings_(into.database, "timings", 3),
      checkpoints_(into.database.execAndGet("SELECT count(*) FROM checkpoints").getInt64() > 0) {}

// Table by table: the pages of one then stay at hand. Runs that are known are compared last, since a batch may have a
// run twice.
void RunEntry::enter(const RunBatch& batch, MergeCount& count) {
  std::vector<bool> added;
  for (size_t run = 0; run < batch.runs.size(); ++run) {
    id_ = batch.runs.text(run, 0);
    added.push_back(add_run(batch.runs, run));
  }
  const auto copy_rows = [&](const HeldRows& rows, size_t RunBatch::Origin::*number, RowInserter& inserter) {
    size_t row = 0;
    for (size_t run = 0; run < added.size(); ++run)
      for (const size_t end = row + batch.origins[run].*number; row < end; ++row)
        if (added[run]) inserter.enter(rows, row);
    inserter.finish();
  };
  copy_rows(batch.series, &RunBatch::Origin::series, series_);
  copy_rows(batch.weights, &RunBatch::Origin::weights, weights_);
  copy_rows(batch.timings, &RunBatch::Origin::timings, timings_);
  size_t series = 0, weights = 0;
  for (size_t run = 0; run < added.size(); ++run) {
    const RunBatch::Origin& own = batch.origins[run];
    id_ = batch.runs.text(run, 0);
    if (added[run]) {
      last_added_ = {id_, own.source};
      ++count.added;
    } else {
      if (standing().checksum != batch.runs.checksum(run) ||
          checksums(batch.series, series, own.series) != parts_of(into_, "series", id_) ||
          checksums(batch.weights, weights, own.weights) != parts_of(into_, "weights", id_))
        refuse(own.source);
      ++count.known;
    }
    series += own.series;
    weights += own.weights;
  }
}

// False where the run is there. One of another revision makes room.
bool RunEntry::add_run(const HeldRows& runs, size_t run) {
  runs.copy(run, insert_run_);
  if (insert_run_.changes() == 0) {
    if (standing().revision == kEngineRevision) return false;
    into_.remove(id_);
    runs.copy(run, insert_run_);
  }
  if (checkpoints_) into_.remove_checkpoint(id_);
  return true;
}

RunEntry::Standing RunEntry::standing() {
  const StatementUse select(into_.statement("SELECT engine_revision, checksum FROM runs WHERE id = ?"));
  select->bind(1, id_);
  if (!select->executeStep()) RowReader::damaged("the way to a run is lost");
  return {select->getColumn(0).getInt64(), select->getColumn(1).getInt64()};
}

void RunEntry::refuse(size_t source) const {
  const std::string& other = id_ == last_added_.id ? sources_[last_added_.source]->path : into_.path;
  throw Error(ErrorKind::store,
              sources_[source]->path + ": run " + id_ + " has other bytes than in " + other +
                  ", although both name the same settings and engine revision",
              "one of them is wrong: train the run again in a new store to see which, and drop the other");
}

}  // namespace atto
