// Stores brought together: rows are copied as they stand, each compared with its checksum on the way.
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "base/error.h"
#include "lab/store/file.h"
#include "lab/store/row_copy.h"
#include "lab/store/schema.h"
#include "lab/store/state.h"

namespace atto {
namespace {

constexpr int kRunsTogether = 1000;  // in one transaction
// Ids are spread evenly, so every batch touches pages all over the indexes of a store; the usual 2 MB hold few of them.
constexpr const char* kMorePages = "PRAGMA cache_size = -131072";

// Rows come in after the run that they belong to, in one transaction, so SQLite need not look that run up for each.
class WithoutReferences {
 public:
  explicit WithoutReferences(SQLite::Database& database) : database_(database) { set(0); }
  ~WithoutReferences() { set(1); }
  WithoutReferences(const WithoutReferences&) = delete;
  WithoutReferences& operator=(const WithoutReferences&) = delete;

 private:
  void set(int on) { sqlite3_db_config(database_.getHandle(), SQLITE_DBCONFIG_ENABLE_FKEY, on, nullptr); }

  SQLite::Database& database_;
};

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

// The runs of a source, one after the other by their ids, with the rows that belong to each.
class RunMerge {
 public:
  RunMerge(Store::State& into, Store::State& from)
      : into_(into),
        from_path_(from.path),
        runs_(from.database, "SELECT * FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY id"),
        series_(from.database, "SELECT * FROM series INDEXED BY sqlite_autoindex_series_1 ORDER BY run_id"),
        weights_(from.database, "SELECT * FROM weights INDEXED BY sqlite_autoindex_weights_1 ORDER BY run_id"),
        timings_(from.database, "SELECT * FROM timings INDEXED BY sqlite_autoindex_timings_1 ORDER BY run_id"),
        insert_run_(into.database, "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        insert_series_(into.database, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        insert_weights_(into.database, "INSERT INTO weights VALUES (?, ?, ?, ?, ?, ?, ?)"),
        insert_timing_(into.database, "INSERT INTO timings VALUES (?, ?, ?)"),
        checkpoints_(into.database.execAndGet("SELECT count(*) FROM checkpoints").getInt64() > 0) {
    for (SourceRows* const rows : {&series_, &weights_, &timings_}) rows->next();
  }

  enum class Taken { added, known, none };
  // The next run of the source; none after the last.
  Taken next() {
    if (!runs_.next()) {
      for (const SourceRows* const rows : {&series_, &weights_, &timings_})
        if (rows->there()) RowReader::damaged("it has rows of a run that it lacks");
      return Taken::none;
    }
    if (runs_.text(0) <= id_) RowReader::damaged("an index is out of order");
    id_ = runs_.text(0);
    require_this_revision();
    const int64_t checksum = runs_.verify();
    const int64_t series = runs_.integer(9), weights = runs_.integer(10);
    const bool added = add_run(checksum);
    take(series_, series, "series", added ? &insert_series_ : nullptr, series_there_);
    take(weights_, weights, "weights", added ? &insert_weights_ : nullptr, weights_there_);
    if (!timings_.there() || timings_.text(0) != id_) RowReader::damaged("run " + id_ + " lacks its timing");
    timings_.verify();
    if (added) add(timings_, insert_timing_);
    timings_.next();
    if (!added && (series_there_ != parts_here("series") || weights_there_ != parts_here("weights"))) refuse();
    return added ? Taken::added : Taken::known;
  }
 private:
  void require_this_revision() {
    const int64_t revision = runs_.integer(1);
    if (revision == kEngineRevision) return;
    throw Error(ErrorKind::store,
                from_path_ + ": run " + id_ + " was computed by engine revision " + std::to_string(revision) +
                    ", this program is revision " + std::to_string(kEngineRevision),
                "train it again with this program before it is merged");
  }

  // What goes wrong here is the matter of the store that is merged into.
  void add(SourceRows& rows, RawStatement& insert) {
    into_.guarded([&] { rows.copy(insert); });
  }

  // False where the run is there, with the same row. A run of another revision makes room.
  bool add_run(int64_t checksum) {
    add(runs_, insert_run_);
    if (insert_run_.changes() == 0) {
      const std::optional<Standing> here = standing();
      if (!here) RowReader::damaged("run " + id_ + " lacks a value");
      if (here->revision == kEngineRevision) {
        if (here->checksum != checksum) refuse();
        return false;
      }
      for (const char* sql : {"DELETE FROM series WHERE run_id = ?", "DELETE FROM weights WHERE run_id = ?",
                              "DELETE FROM timings WHERE run_id = ?", "DELETE FROM runs WHERE id = ?"})
        remove(sql);
      add(runs_, insert_run_);
    }
    if (checkpoints_) remove("DELETE FROM checkpoints WHERE run_id = ?");
    return true;
  }

  struct Standing {
    int64_t revision, checksum;
  };
  std::optional<Standing> standing() {
    return into_.guarded([&]() -> std::optional<Standing> {
      const StatementUse select(into_.statement("SELECT engine_revision, checksum FROM runs WHERE id = ?"));
      select->bind(1, id_);
      if (!select->executeStep()) return std::nullopt;
      return Standing{select->getColumn(0).getInt64(), select->getColumn(1).getInt64()};
    });
  }

  void remove(const char* sql) {
    into_.guarded([&] {
      const StatementUse statement(into_.statement(sql));
      statement->bind(1, id_);
      statement->exec();
    });
  }

  // The series or matrices of the run, copied where `insert` is given.
  void take(SourceRows& rows, int64_t count, const char* what, RawStatement* insert, Checksums& all) {
    all.clear();
    if (rows.there() && rows.text(0) < id_)
      RowReader::damaged(std::string("it has ") + what + " of a run that it lacks");
    for (; rows.there() && rows.text(0) == id_; rows.next()) {
      all.emplace_back(rows.integer(1), rows.verify());
      if (insert != nullptr) add(rows, *insert);
    }
    std::sort(all.begin(), all.end());
    bool whole = std::ssize(all) == count;
    for (int64_t i = 0; whole && i < count; ++i) whole = all[static_cast<size_t>(i)].first == i;
    if (!whole) RowReader::damaged("run " + id_ + " lacks some of its " + what);
  }

  Checksums parts_here(const std::string& table) {
    return into_.guarded([&] {
      Checksums all;
      const StatementUse select(into_.statement(
          ("SELECT position, checksum FROM " + table + " WHERE run_id = ? ORDER BY position").c_str()));
      select->bind(1, id_);
      while (select->executeStep()) all.emplace_back(select->getColumn(0).getInt64(), select->getColumn(1).getInt64());
      return all;
    });
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
  Checksums series_there_, weights_there_;
  SourceRows runs_, series_, weights_, timings_;
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
      const StatementUse seen(into.statement("SELECT hash FROM questions WHERE study = ? AND profile = ? AND claim = ?"));
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
  into.database.exec(kMorePages);
  from.database.exec(kMorePages);
  const WithoutReferences alone(into.database);
  from.reading([&] {
    require_all_rows(from.database);
    const auto both = [&](const auto& work) { into.writing([&] { from.guarded(work); }); };
    both([&] { merge_questions(into, from); });
    RunMerge merge(into, from);
    bool more = true;
    while (more && count.whole) {
      MergeCount batch;
      both([&] {
        for (int i = 0; i < kRunsTogether && more; ++i) {
          const RunMerge::Taken taken = merge.next();
          batch.added += taken == RunMerge::Taken::added ? 1 : 0;
          batch.known += taken == RunMerge::Taken::known ? 1 : 0;
          more = taken != RunMerge::Taken::none;
        }
      });
      count.added += batch.added;
      count.known += batch.known;
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
