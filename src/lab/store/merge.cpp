// Stores brought together: rows are copied as they stand, each compared with its checksum on the way.
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "base/error.h"
#include "lab/store/file.h"
#include "lab/store/state.h"

namespace atto {
namespace {

constexpr int kRunsTogether = 1000;  // in one transaction
// Ids are spread evenly, so every batch touches pages all over the indexes of a store; the usual 2 MB hold few of them.
constexpr const char* kMorePages = "PRAGMA cache_size = -131072";

// Feeds one column to the hash and, where there is one, to an INSERT. What is bound must live until that is made.
void pass_on(const SQLite::Column& column, RowHash& hash, SQLite::Statement* insert, int place) {
  switch (column.getType()) {
    case SQLITE_NULL:
      hash.add('n', nullptr, 0);
      if (insert != nullptr) insert->bind(place);
      break;
    case SQLITE_INTEGER: {
      const int64_t value = column.getInt64();
      hash.add('i', &value, sizeof value);
      if (insert != nullptr) insert->bind(place, value);
      break;
    }
    case SQLITE_FLOAT: {
      const double value = column.getDouble();
      hash.add('f', &value, sizeof value);
      if (insert != nullptr) insert->bind(place, value);
      break;
    }
    default: {
      const bool text = column.getType() == SQLITE_TEXT;
      const void* const bytes = text ? static_cast<const void*>(column.getText()) : column.getBlob();
      const int size = column.getBytes();
      hash.add(text ? 't' : 'b', bytes, static_cast<size_t>(size));
      if (insert == nullptr) break;
      if (text) insert->bind(place, std::string(static_cast<const char*>(bytes), static_cast<size_t>(size)));
      else insert->bindNoCopy(place, size > 0 ? bytes : "", size);  // a null pointer would bind NULL
    }
  }
}

// The row that `select` stands at, compared with its checksum and, with `insert`, copied. Returns the checksum. The hash
// is lent: making one takes longer than a row of a small run.
int64_t take_row(SQLite::Statement& select, SQLite::Statement* insert, RowHash& hash) {
  hash.reset();
  const int last = select.getColumnCount() - 1;
  for (int i = 0; i < last; ++i) pass_on(select.getColumn(i), hash, insert, i + 1);
  const SQLite::Column checksum = select.getColumn(last);
  if (!checksum.isInteger() || checksum.getInt64() != hash.value())
    RowReader::damaged("a row does not match its checksum");
  if (insert != nullptr) {
    const StatementUse use(*insert);
    use->bind(last + 1, hash.value());
    use->exec();
  }
  return hash.value();
}

using Checksums = std::vector<std::pair<int64_t, int64_t>>;  // by position

// Runs with an id: one here and one there.
class RunMerge {
 public:
  RunMerge(Store::State& into, Store::State& from) : into_(into), from_(from) {}

  // The run that `runs` stands at, of the source. True where it was not there yet.
  bool take(SQLite::Statement& runs) {
    const std::string id = runs.getColumn(0).getString();
    const int64_t revision = runs.getColumn(1).getInt64();
    if (revision != kEngineRevision)
      throw Error(ErrorKind::store,
                  from_.path + ": run " + id + " was computed by engine revision " + std::to_string(revision) +
                      ", this program is revision " + std::to_string(kEngineRevision),
                  "train it again with this program before it is merged");
    const int64_t series = runs.getColumn(9).getInt64(), weights = runs.getColumn(10).getInt64();
    const std::optional<Standing> here = standing(id);
    if (here && here->revision == kEngineRevision) {
      compare(runs, here->checksum, id, series, weights);
      return false;
    }
    if (here) remove("DELETE FROM runs WHERE id = ?", id);
    if (checkpoints_) remove("DELETE FROM checkpoints WHERE run_id = ?", id);
    take_row(runs, &into_.statement("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"), hash_);
    parts_there("series", id, series, &into_.statement("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
    parts_there("weights", id, weights, &into_.statement("INSERT INTO weights VALUES (?, ?, ?, ?, ?, ?, ?)"));
    const StatementUse timing(from_.statement("SELECT * FROM timings WHERE run_id = ?"));
    timing->bind(1, id);
    if (!timing->executeStep()) RowReader::damaged("run " + id + " lacks its timing");
    take_row(*timing.operator->(), &into_.statement("INSERT INTO timings VALUES (?, ?, ?)"), hash_);
    return true;
  }

 private:
  struct Standing {
    int64_t revision, checksum;
  };
  // The run as it stands here.
  std::optional<Standing> standing(const std::string& id) {
    const StatementUse select(into_.statement("SELECT engine_revision, checksum FROM runs WHERE id = ?"));
    select->bind(1, id);
    if (!select->executeStep()) return std::nullopt;
    return Standing{select->getColumn(0).getInt64(), select->getColumn(1).getInt64()};
  }

  void remove(const char* sql, const std::string& id) {
    const StatementUse statement(into_.statement(sql));
    statement->bind(1, id);
    statement->exec();
  }

  void compare(SQLite::Statement& runs, int64_t checksum, const std::string& id, int64_t series, int64_t weights) {
    if (take_row(runs, nullptr, hash_) == checksum &&
        parts_there("series", id, series, nullptr) == parts_here("series", id) &&
        parts_there("weights", id, weights, nullptr) == parts_here("weights", id))
      return;
    throw Error(ErrorKind::store,
                from_.path + ": run " + id + " has other bytes than in " + into_.path +
                    ", although both name the same settings and engine revision",
                "one of them is wrong: train the run again in a new store to see which, and drop the other");
  }

  Checksums parts_here(const std::string& table, const std::string& id) {
    Checksums all;
    const StatementUse select(into_.statement(
        ("SELECT position, checksum FROM " + table + " WHERE run_id = ? ORDER BY position").c_str()));
    select->bind(1, id);
    while (select->executeStep()) all.emplace_back(select->getColumn(0).getInt64(), select->getColumn(1).getInt64());
    return all;
  }

  // The series or matrices of a run of the source, copied where `insert` is given.
  Checksums parts_there(const std::string& table, const std::string& id, int64_t count, SQLite::Statement* insert) {
    Checksums all;
    const StatementUse select(from_.statement(("SELECT * FROM " + table + " WHERE run_id = ?").c_str()));
    select->bind(1, id);
    while (select->executeStep()) {
      const int64_t position = select->getColumn(1).getInt64();
      all.emplace_back(position, take_row(*select.operator->(), insert, hash_));
    }
    if (std::ssize(all) != count) RowReader::damaged("run " + id + " lacks some of its " + table);
    std::sort(all.begin(), all.end());
    return all;
  }

  Store::State& into_;
  Store::State& from_;
  RowHash hash_;
  bool checkpoints_ = into_.database.execAndGet("SELECT count(*) FROM checkpoints").getInt64() > 0;
};

// Checkpoints of runs that are not finished here, where they are further than what is.
int64_t merge_checkpoints(Store::State& into, Store::State& from) {
  if (!from.database.tableExists("checkpoints")) return 0;
  int64_t taken = 0;
  RowHash hash;
  const StatementUse select(from.statement("SELECT * FROM checkpoints WHERE engine_revision = ?"));
  select->bind(1, kEngineRevision);
  while (select->executeStep()) {
    const StatementUse further(
        into.statement("SELECT 1 FROM runs WHERE id = ?1 UNION ALL "
                       "SELECT 1 FROM checkpoints WHERE run_id = ?1 AND engine_revision = ?2 AND step >= ?3"));
    further->bind(1, select->getColumn(0).getString());
    further->bind(2, kEngineRevision);
    further->bind(3, select->getColumn(2).getInt64());
    if (further->executeStep()) continue;
    take_row(*select.operator->(),
             &into.statement("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"), hash);
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
  RowHash hash;
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
    const StatementUse select(from.statement("SELECT * FROM members WHERE study = ? AND profile = ?"));
    select->bind(1, study);
    select->bind(2, profile);
    while (select->executeStep())
      take_row(*select.operator->(), &into.statement("INSERT INTO members VALUES (?, ?, ?, ?, ?, ?, ?)"), hash);
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
  from.reading([&] {
    check_structure(from.database);  // a damaged page can hide rows
    const auto both = [&](const auto& work) { into.writing([&] { from.guarded(work); }); };
    both([&] { merge_questions(into, from); });
    RunMerge merge(into, from);
    const StatementUse runs(from.statement("SELECT * FROM runs ORDER BY id"));
    bool more = true;
    while (more && count.whole) {
      MergeCount batch;
      both([&] {
        for (int i = 0; i < kRunsTogether && (more = runs->executeStep()); ++i)
          ++(merge.take(*runs.operator->()) ? batch.added : batch.known);
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
