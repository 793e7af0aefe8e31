// Stores brought together: rows are copied as they stand, each compared with its checksum on the way.
#include <sqlite3.h>

#include <deque>
#include <filesystem>
#include <future>
#include <tuple>

#include "base/error.h"
#include "lab/store/disk/page_cache.h"
#include "lab/store/merge/merged_runs.h"
#include "lab/store/merge/row_copy.h"
#include "lab/store/merge/run_entry.h"
#include "lab/store/merge/source_check.h"
#include "lab/store/state.h"

namespace atto {
namespace {

// What a merge asks of a source before it reads it.
void prepare_source(Store::State& from, const Store::State& into, size_t sources) {
  if (into.real_path == from.real_path && into.real_path != kInMemory)
    throw Error(ErrorKind::usage, from.path + " cannot be merged into itself", "name another store to merge into");
  // What a killed worker left in its log is read there, and not moved into a file that is not ours.
  std::error_code none;
  if (std::filesystem::file_size(from.real_path + "-wal", none) > 0 && !none)
    sqlite3_db_config(from.database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  keep_read_pages(from.database, from.real_path, sources);
}

// Checkpoints of runs that are not finished here, where they are further than what is.
int64_t merge_checkpoints(Store::State& into, Store::State& from) {
  if (!from.database.tableExists("checkpoints")) return 0;
  int64_t taken = 0;
  SourceRows rows(from.database, "SELECT * FROM checkpoints");
  RawStatement insert(into.database, "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  while (rows.next()) {
    if (rows.integer(1) != kEngineRevision) continue;
    const StatementUse further(
        into.statement("SELECT 1 FROM runs WHERE id = ?1 UNION ALL "
                       "SELECT 1 FROM checkpoints WHERE run_id = ?1 AND engine_revision = ?2 AND step >= ?3"));
    further->bind(1, std::string(rows.text(0)));
    further->bind(2, kEngineRevision);
    further->bind(3, rows.integer(2));
    if (further->executeStep()) continue;
    rows.verify();
    into.guarded([&] { rows.copy(insert); });
    ++taken;
  }
  return taken;
}

// Questions that this store has not seen, each after those it has.
void merge_questions(Store::State& into, Store::State& from) {
  if (!from.database.tableExists("questions")) return;
  RowReader row(from.statement("SELECT * FROM questions ORDER BY study, profile, claim, position"));
  while (row.next()) {
    const std::string study = row.text(), profile = row.text(), claim = row.text();
    row.integer();  // position
    const std::string hash = row.text(), text = row.text();
    const int64_t runs_before = row.integer();
    row.check();
    int64_t position = 0;
    bool known = false;
    {
      const StatementUse seen(
          into.statement("SELECT hash FROM questions WHERE study = ? AND profile = ? AND claim = ?"));
      seen->bind(1, study);
      seen->bind(2, profile);
      seen->bind(3, claim);
      for (; seen->executeStep(); ++position) known = known || seen->getColumn(0).getString() == hash;
    }
    if (known) continue;
    RowWriter(into.statement("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?, ?)"))
        .text(study)
        .text(profile)
        .text(claim)
        .integer(position)
        .text(hash)
        .text(text)
        .integer(runs_before)
        .insert();
  }
}

using Members = std::vector<int64_t>;  // the checksums of their rows, in order

Members members_of(Store::State& store, const std::string& study, const std::string& profile) {
  Members all;
  const StatementUse select(
      store.statement("SELECT checksum FROM members WHERE study = ? AND profile = ? ORDER BY position"));
  select->bind(1, study);
  select->bind(2, profile);
  while (select->executeStep()) all.push_back(select->getColumn(0).getInt64());
  return all;
}

// Of the runs that a study came to, the longer list; of two as long as each other always the same one.
void merge_members(Store::State& into, Store::State& from) {
  const StatementUse names(from.statement("SELECT DISTINCT study, profile FROM members"));
  while (names->executeStep()) {
    const std::string study = names->getColumn(0).getString(), profile = names->getColumn(1).getString();
    const Members here = members_of(into, study, profile), there = members_of(from, study, profile);
    if (std::tuple(here.size(), here) >= std::tuple(there.size(), there)) continue;
    {
      const StatementUse remove(into.statement("DELETE FROM members WHERE study = ? AND profile = ?"));
      remove->bind(1, study);
      remove->bind(2, profile);
      remove->exec();
    }
    SourceRows rows(from.database, "SELECT * FROM members WHERE study = ? AND profile = ?");
    rows.where(study, profile);
    RawStatement insert(into.database, "INSERT INTO members VALUES (?, ?, ?, ?, ?, ?, ?)");
    while (rows.next()) {
      rows.verify();
      into.guarded([&] { rows.copy(insert); });
    }
  }
}

}  // namespace

MergeCount Store::merge(const Store& from, const std::function<bool(int64_t)>& on_progress) {
  return merge(std::span(&from, 1), on_progress);
}

MergeCount Store::merge(std::span<const Store> from, const std::function<bool(int64_t)>& on_progress) {
  State& into = *state_;
  std::vector<State*> sources;
  for (const Store& one : from) {
    sources.push_back(one.state_.get());
    prepare_source(*sources.back(), into, from.size());
  }
  // All that is read of a source belongs to one moment.
  std::deque<SQLite::Transaction> moments;
  for (State* const source : sources)
    source->guarded([&] { moments.emplace_back(source->database, SQLite::TransactionBehavior::DEFERRED); });
  require_whole_sources(sources);
  const auto for_each_source = [&](const auto& work) {
    for (State* const source : sources) into.writing([&] { source->guarded([&] { work(*source); }); });
  };
  for_each_source([&](State& source) { merge_questions(into, source); });
  MergedRuns runs(sources);
  RunEntry entry = into.guarded([&] { return RunEntry(into, sources); });
  // The next batch is read while one is entered; by the same thread where there is no other.
  const auto read = [&] { return std::async(std::launch::async | std::launch::deferred, [&] { return runs.read(); }); };
  MergeCount count;
  for (std::future<RunBatch> next = read(); next.valid() && count.whole;) {
    const RunBatch batch = next.get();
    if (!batch.last) next = read();
    MergeCount entered;
    into.writing([&] { entry.enter(batch, entered); });
    count += entered;
    if (on_progress && !on_progress(count.added + count.known)) count.whole = false;
  }
  if (!count.whole) return count;
  for_each_source([&](State& source) {
    count.checkpoints += merge_checkpoints(into, source);
    merge_members(into, source);
  });
  return count;
}

}  // namespace atto
