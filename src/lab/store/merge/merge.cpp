// Stores brought together: rows are copied as they stand, each compared with its checksum on the way.
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <tuple>

#include "base/error.h"
#include "lab/store/disk/file.h"
#include "lab/store/disk/page_cache.h"
#include "lab/store/merge/row_copy.h"
#include "lab/store/schema.h"
#include "lab/store/state.h"

namespace atto {
namespace {

// In one transaction: so many runs, or the first that make up so many bytes.
constexpr size_t kRunsTogether = 1000, kBytesTogether = 16 << 20;

// A damaged page can hide rows, so every page is looked at before anything is taken. The four tables of the runs are as
// good as all of the file. Each must have as many rows as the index through which they are read; that an entry of it
// leads to the right row, and that this row is whole, shows when it is read. So their entries are not looked up here.
void require_all_rows(SQLite::Database& database) {
  SQLite::Statement check(database, "PRAGMA quick_check(1)");
  while (check.executeStep())
    if (const std::string answer = check.getColumn(0).getString(); answer != "ok") RowReader::damaged(answer);
  for (const TableSchema& table : store_tables()) {
    const std::string name = table.name, count = "SELECT count(*) FROM " + name;
    if (!database.tableExists(name)) continue;
    if (name != "runs" && name != "series" && name != "weights" && name != "timings") check_structure(database, name);
    else if (database.execAndGet(count + " NOT INDEXED").getInt64() !=
             database.execAndGet(count + " INDEXED BY sqlite_autoindex_" + name + "_1").getInt64())
      RowReader::damaged("the index of '" + name + "' has other rows than the table");
  }
}

using Checksums = std::vector<std::pair<int64_t, int64_t>>;  // by position

// Runs of a source, whole and held apart from it. Of each table the rows stand in the order of the runs.
struct SourceBatch {
  struct Counts {
    size_t series = 0, weights = 0;
  };
  std::vector<Counts> runs_of;  // by run
  HeldRows runs, series, weights, timings;
  bool last = false;  // the source has no more

  bool full() const {
    return runs.size() >= kRunsTogether ||
           runs.bytes() + series.bytes() + weights.bytes() + timings.bytes() >= kBytesTogether;
  }
};

// Reads the runs of a source one after the other by their ids, with the rows that belong to each.
class SourceRuns {
 public:
  explicit SourceRuns(Store::State& from)
      : path_(from.path),
        runs_(from.database, "SELECT * FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY id"),
        series_(from.database, "SELECT * FROM series INDEXED BY sqlite_autoindex_series_1 ORDER BY run_id"),
        weights_(from.database, "SELECT * FROM weights INDEXED BY sqlite_autoindex_weights_1 ORDER BY run_id"),
        timings_(from.database, "SELECT * FROM timings INDEXED BY sqlite_autoindex_timings_1 ORDER BY run_id") {
    for (SourceRows* const rows : {&series_, &weights_, &timings_}) rows->next();
  }

  SourceBatch read() {
    SourceBatch batch;
    while (!batch.last && !batch.full()) batch.last = !read_run(batch);
    return batch;
  }

 private:
  // False after the last one.
  bool read_run(SourceBatch& batch) {
    if (!runs_.next()) {
      for (const SourceRows* const rows : {&series_, &weights_, &timings_})
        if (rows->there()) RowReader::damaged("it has rows of a run that it lacks");
      return false;
    }
    if (runs_.text(0) <= id_) RowReader::damaged("an index is out of order");
    id_ = runs_.text(0);
    require_this_revision();
    runs_.verify();
    for (int column = 0; column < 11; ++column)
      if (runs_.is_null(column) && column != 6 && column != 8)  // the step of divergence and the best loss may lack
        RowReader::damaged("run " + id_ + " lacks a value");
    runs_.hold(batch.runs);
    batch.runs_of.push_back({take(series_, runs_.integer(9), "series", batch.series),
                             take(weights_, runs_.integer(10), "weights", batch.weights)});
    if (!timings_.there() || timings_.text(0) != id_) RowReader::damaged("run " + id_ + " lacks its timing");
    timings_.verify();
    timings_.hold(batch.timings);
    timings_.next();
    return true;
  }

  void require_this_revision() {
    const int64_t revision = runs_.integer(1);
    if (revision == kEngineRevision) return;
    throw Error(ErrorKind::store,
                path_ + ": run " + id_ + " was computed by engine revision " + std::to_string(revision) +
                    ", this program is revision " + std::to_string(kEngineRevision),
                "train it again with this program before it is merged");
  }

  // The series or matrices of the run; how many.
  size_t take(SourceRows& rows, int64_t count, const char* what, HeldRows& held) {
    positions_.clear();
    if (rows.there() && rows.text(0) < id_)
      RowReader::damaged(std::string("it has ") + what + " of a run that it lacks");
    for (; rows.there() && rows.text(0) == id_; rows.next()) {
      rows.verify();
      rows.hold(held);
      positions_.push_back(rows.integer(1));
    }
    std::sort(positions_.begin(), positions_.end());
    bool whole = std::ssize(positions_) == count;
    for (int64_t i = 0; whole && i < count; ++i) whole = positions_[static_cast<size_t>(i)] == i;
    if (!whole) RowReader::damaged("run " + id_ + " lacks some of its " + what);
    return positions_.size();
  }

  const std::string path_;
  std::string id_;  // of the run at hand
  std::vector<int64_t> positions_;
  SourceRows runs_, series_, weights_, timings_;
};

using Checksums = std::vector<std::pair<int64_t, int64_t>>;  // by position

// Enters the runs of a source.
class RunEntry {
 public:
  RunEntry(Store::State& into, const std::string& from_path)
      : into_(into),
        from_path_(from_path),
        insert_run_(into.database, "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        insert_series_(into.database, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        insert_weights_(into.database, "INSERT INTO weights VALUES (?, ?, ?, ?, ?, ?, ?)"),
        insert_timing_(into.database, "INSERT INTO timings VALUES (?, ?, ?)"),
        checkpoints_(into.database.execAndGet("SELECT count(*) FROM checkpoints").getInt64() > 0) {}

  void enter(const SourceBatch& batch, MergeCount& count) {
    size_t series = 0, weights = 0;
    for (size_t run = 0; run < batch.runs.size(); ++run) {
      const auto& own = batch.runs_of[run];
      id_ = batch.runs.text(run, 0);
      if (add_run(batch.runs, run)) {
        for (size_t i = 0; i < own.series; ++i) batch.series.copy(series + i, insert_series_);
        for (size_t i = 0; i < own.weights; ++i) batch.weights.copy(weights + i, insert_weights_);
        batch.timings.copy(run, insert_timing_);
        ++count.added;
      } else {
        if (checksums(batch.series, series, own.series) != parts_here("series") ||
            checksums(batch.weights, weights, own.weights) != parts_here("weights"))
          refuse();
        ++count.known;
      }
      series += own.series;
      weights += own.weights;
    }
  }

 private:
  // False where the run is there, with the same row. A run of another revision makes room.
  bool add_run(const HeldRows& runs, size_t run) {
    runs.copy(run, insert_run_);
    if (insert_run_.changes() == 0) {
      const auto [revision, checksum] = standing();
      if (revision == kEngineRevision) {
        if (checksum != runs.checksum(run)) refuse();
        return false;
      }
      into_.remove(id_);
      runs.copy(run, insert_run_);
    }
    if (checkpoints_) into_.remove_checkpoint(id_);
    return true;
  }

  struct Standing {
    int64_t revision, checksum;
  };
  Standing standing() {
    const StatementUse select(into_.statement("SELECT engine_revision, checksum FROM runs WHERE id = ?"));
    select->bind(1, id_);
    if (!select->executeStep()) RowReader::damaged("the way to a run is lost");
    return {select->getColumn(0).getInt64(), select->getColumn(1).getInt64()};
  }

  static Checksums checksums(const HeldRows& rows, size_t first, size_t count) {
    Checksums all;
    for (size_t i = first; i < first + count; ++i) all.emplace_back(rows.integer(i, 1), rows.checksum(i));
    std::sort(all.begin(), all.end());
    return all;
  }

  Checksums parts_here(const std::string& table) {
    Checksums all;
    const StatementUse select(
        into_.statement(("SELECT position, checksum FROM " + table + " WHERE run_id = ? ORDER BY position").c_str()));
    select->bind(1, id_);
    while (select->executeStep()) all.emplace_back(select->getColumn(0).getInt64(), select->getColumn(1).getInt64());
    return all;
  }

  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::store,
                from_path_ + ": run " + id_ + " has other bytes than in " + into_.path +
                    ", although both name the same settings and engine revision",
                "one of them is wrong: train the run again in a new store to see which, and drop the other");
  }

  Store::State& into_;
  const std::string from_path_;
  std::string id_;  // of the run at hand
  RawStatement insert_run_, insert_series_, insert_weights_, insert_timing_;
  const bool checkpoints_;
};

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

MergeCount Store::merge(const Store& source, const std::function<bool(int64_t)>& on_progress) {
  State& into = *state_;
  State& from = *source.state_;
  if (into.real_path == from.real_path && into.real_path != kInMemory)
    throw Error(ErrorKind::usage, from.path + " cannot be merged into itself", "name another store to merge into");
  // What a killed worker left in its log is read there, and not moved into a file that is not ours.
  std::error_code none;
  if (std::filesystem::file_size(from.real_path + "-wal", none) > 0 && !none)
    sqlite3_db_config(from.database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  MergeCount count;
  keep_read_pages(from.database, from.real_path);
  from.reading([&] {
    require_all_rows(from.database);
    const auto both = [&](const auto& work) { into.writing([&] { from.guarded(work); }); };
    both([&] { merge_questions(into, from); });
    SourceRuns runs(from);
    RunEntry entry(into, from.path);
    // The next batch is read while one is entered; by the same thread where there is no other.
    const auto read = [&] {
      return std::async(std::launch::async | std::launch::deferred,
                        [&] { return from.guarded([&] { return runs.read(); }); });
    };
    for (std::future<SourceBatch> next = read(); next.valid() && count.whole;) {
      const SourceBatch batch = next.get();
      if (!batch.last) next = read();
      MergeCount entered;
      into.writing([&] { entry.enter(batch, entered); });
      count.added += entered.added;
      count.known += entered.known;
      if (on_progress && !on_progress(count.added + count.known)) count.whole = false;
    }
    if (!count.whole) return;
    both([&] {
      count.checkpoints = merge_checkpoints(into, from);
      merge_members(into, from);
    });
  });
  return count;
}

void Store::label(const ShardLabel& wanted) {
  if (const std::optional<ShardLabel> found = label()) {
    if (*found == wanted) return;
    throw Error(ErrorKind::store,
                path() + ": this store is shard " + std::to_string(found->index) + "/" + std::to_string(found->count) +
                    " of " + found->study + " (" + found->profile + ")" +
                    (found->sweep != wanted.sweep && found->study == wanted.study ? ", of another sweep" : ""),
                "each shard needs a store of its own: give --store another path");
  }
  if (has_runs()) return;  // somebody's own store: what the shard adds to it is not all that it holds
  State& state = *state_;
  state.writing([&] {
    const auto note = [&](const char* key, const std::string& value) {
      const StatementUse insert(state.statement("INSERT INTO meta VALUES (?, ?)"));
      insert->bind(1, key);
      insert->bind(2, value);
      insert->exec();
    };
    note("shard.study", wanted.study);
    note("shard.profile", wanted.profile);
    note("shard.sweep", wanted.sweep);
    note("shard.index", std::to_string(wanted.index));
    note("shard.count", std::to_string(wanted.count));
    note("shard.runs", std::to_string(wanted.runs));
  });
}

std::optional<ShardLabel> Store::label() const {
  State& state = *state_;
  return state.reading([&]() -> std::optional<ShardLabel> {
    std::map<std::string, std::string> notes;
    const StatementUse select(state.statement("SELECT key, value FROM meta WHERE key LIKE 'shard.%'"));
    while (select->executeStep()) notes[select->getColumn(0).getString()] = select->getColumn(1).getString();
    if (notes.empty()) return std::nullopt;
    const auto number = [&](const char* key) { return std::strtoll(notes[key].c_str(), nullptr, 10); };
    return ShardLabel{notes["shard.study"],  notes["shard.profile"], notes["shard.sweep"],
                      number("shard.index"), number("shard.count"),  number("shard.runs")};
  });
}

}  // namespace atto
