#include "lab/store/store.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "lab/store/check/aside.h"
#include "lab/store/disk/file.h"
#include "lab/store/disk/file_system.h"
#include "lab/store/run_table.h"
#include "lab/store/shape.h"
#include "lab/store/state.h"

namespace atto {
namespace {

constexpr const char* kScalarType = "<f8";  // NumPy's names; every bit of a scalar is kept
constexpr const char* kArrayType = "<f4";   // arrays are made of the engine's single-precision numbers

std::vector<float> to_single(const std::vector<double>& values) {
  std::vector<float> single(values.size());
  std::transform(values.begin(), values.end(), single.begin(), [](double value) { return static_cast<float>(value); });
  return single;
}

void require_consistent(const Recording& recording) {
  std::set<std::string> names;
  for (const Series& series : recording.series)
    if (series.values.size() != series.steps.size() * series.block() || !names.insert(series.address).second)
      throw Error(ErrorKind::internal, "series " + series.address + " is recorded twice or does not fit its shape");
  names.clear();
  for (const WeightMatrix& weights : recording.weights)
    if (static_cast<int64_t>(weights.values.size()) != weights.rows * weights.columns ||
        !names.insert(weights.name).second)
      throw Error(ErrorKind::internal, "weights " + weights.name + " are recorded twice or do not fit their shape");
}

// A row of `series` with where it stood in its recording.
struct PlacedSeries {
  int64_t position = 0;
  Series series;
};

struct PlacedWeights {
  int64_t position = 0;
  WeightMatrix weights;
};

// Rows of a run in the order they were recorded in. Their number is never taken on trust: it comes from the file.
template <typename Placed, typename Read>
std::vector<Placed> read_placed(RowReader& row, int64_t count, const std::string& what, Read&& read) {
  std::vector<Placed> all;
  while (row.next()) {
    if (std::ssize(all) == count) RowReader::damaged("a run has too many " + what);
    all.push_back(read(row));
  }
  if (std::ssize(all) != count) RowReader::damaged("a run lacks some of its " + what);
  std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.position < b.position; });
  for (int64_t position = 0; position < count; ++position)
    if (all[static_cast<size_t>(position)].position != position)
      RowReader::damaged("the order of the " + what + " is lost");
  return all;
}

PlacedSeries read_series(RowReader& row, const std::string& run_id) {
  PlacedSeries placed;
  if (row.text() != run_id) RowReader::damaged("an index leads to the wrong row");
  placed.position = row.integer();
  placed.series.address = row.text();
  const std::string shape = row.text(), type = row.text();
  placed.series.steps = row.blob<int64_t>();
  if (type == kScalarType) {
    placed.series.values = row.blob<double>();
  } else {
    const std::vector<float> single = row.blob<float>();
    placed.series.values.assign(single.begin(), single.end());
  }
  row.check();
  placed.series.shape = parse_shape(shape);
  require_count(placed.series.shape, placed.series.steps.size(), placed.series.values.size());
  return placed;
}

PlacedWeights read_weights(RowReader& row, const std::string& run_id) {
  PlacedWeights placed;
  WeightMatrix& weights = placed.weights;
  if (row.text() != run_id) RowReader::damaged("an index leads to the wrong row");
  placed.position = row.integer();
  weights.name = row.text();
  const std::string shape_json = row.text();
  row.text();  // dtype
  weights.values = row.blob<float>();
  row.check();
  const std::vector<int64_t> shape = parse_shape(shape_json);
  require_count(shape, 1, weights.values.size());
  if (shape.size() != 2) RowReader::damaged("weights are no matrix");
  weights.rows = shape[0];
  weights.columns = shape[1];
  return placed;
}

[[noreturn]] void throw_missing_series(const std::string& path, const std::string& run_id, const std::string& address) {
  throw Error(ErrorKind::missing, path + ": run " + run_id + " has no series '" + address + "'",
              "add it to the study's [[observe]] and run again");
}

std::string resolve(const std::string& path) {
  if (path == kInMemory) return path;
  if (path.empty())
    throw Error(ErrorKind::missing, "the path of the store is empty", "give --store the path of a file");
  std::error_code error;
  const auto resolved = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? std::filesystem::absolute(path).string() : resolved.string();
}

// A log of which SQLite would pass over a part without a word. A writer keeps a copy and goes on: what is lost is
// trained again. A reader would show less than was saved, so it does not go on.
void meet_damaged_log(const std::string& path, Store::Mode mode, std::vector<std::string>& notices) {
  const std::optional<LogDamage> damage = damage_of_log(path, mode);
  if (!damage) return;
  const std::string what = "the log " + log_path(path) +
                           " is damaged or was cut off while it was written: " + std::to_string(damage->lost_frames) +
                           " of its " + std::to_string(damage->usable_frames + damage->lost_frames) +
                           " pages cannot be used";
  if (mode == Store::Mode::read)
    throw Error(ErrorKind::store, path + ": " + what + ", so that its last runs may be missing",
                "`atto check --repair --store " + path +
                    "` puts the log aside and says which; running their study trains them again");
  notices.push_back(what + ". A copy is kept as " + copy_aside(log_path(path)) +
                    "; the runs that only it held are trained again when their study is run.");
}

SQLite::Database open_locked(const std::string& path, Store::Mode mode, std::optional<WriterLock>& lock,
                             std::vector<std::string>& notices) {
  if (path == kInMemory) return make_store(path);
  if (mode == Store::Mode::write) {
    require_local(path);
    prepare_folder(path);
    lock.emplace(path);
  }
  meet_damaged_log(path, mode, notices);
  return open_store(path, mode);
}

}  // namespace

Store::State::State(const std::string& given, Mode mode)
    : path(given),
      real_path(resolve(given)),
      lock(),
      notices(),
      database(open_locked(real_path, mode, lock, notices)),
      runs_are_whole(mode == Mode::write && is_checked_whole(real_path)) {}

SQLite::Statement& Store::State::statement(const char* sql) {
  auto found = statements.find(sql);
  if (found == statements.end()) found = statements.emplace(sql, SQLite::Statement(database, sql)).first;
  return found->second;
}

Store::State::RunRow Store::State::read_run(RowReader& row) {
  RunRow run;
  run.summary.id = row.text();
  run.summary.engine_revision = row.integer();
  run.summary.config = row.text();
  run.summary.init_seed = row.integer();
  run.summary.data_seed = row.integer();
  run.summary.steps_done = run.recording.steps_done = row.integer();
  run.summary.diverged_at = run.recording.diverged_at = row.maybe_integer();
  run.recording.stopped_early = row.integer() != 0;
  run.recording.best_loss = row.maybe_real();
  run.series_count = row.integer();
  run.weights_count = row.integer();
  row.check();
  require_run_id(run.summary.id);
  return run;
}

void Store::State::require_whole_runs() {
  if (runs_are_whole) return;
  each_run(*this, [](RunRow&&) {});
  runs_are_whole = true;
}

Store::State::RunRow Store::State::run_row(const std::string& run_id) {
  RowReader row(statement("SELECT * FROM runs WHERE id = ?"));
  if (!row.where(run_id).next()) {
    require_whole_runs();  // or is it there, and the way to it is lost?
    throw Error(ErrorKind::missing, path + ": the store has no run " + run_id, "run the study that it belongs to");
  }
  RunRow run = read_run(row);
  if (run.summary.id != run_id) RowReader::damaged("an index leads to the wrong row");
  if (run.summary.engine_revision != kEngineRevision)
    throw Error(ErrorKind::missing,
                path + ": run " + run_id + " was computed by engine revision " +
                    std::to_string(run.summary.engine_revision) + ", this program is revision " +
                    std::to_string(kEngineRevision),
                "run its study again to recompute it");
  return run;
}

void Store::State::remove(const std::string& run_id) {
  for (const char* sql : {"DELETE FROM series WHERE run_id = ?", "DELETE FROM weights WHERE run_id = ?",
                          "DELETE FROM timings WHERE run_id = ?", "DELETE FROM runs WHERE id = ?"})
    remove_by(sql, run_id);
}

void Store::State::remove_checkpoint(const std::string& run_id) {
  remove_by("DELETE FROM checkpoints WHERE run_id = ?", run_id);
}

void Store::State::remove_by(const char* sql, const std::string& run_id) {
  const StatementUse remove(statement(sql));
  remove->bind(1, run_id);
  remove->exec();
}

bool Store::State::holds(const std::string& run_id) {
  const StatementUse select(statement("SELECT 1 FROM runs WHERE id = ?"));
  select->bind(1, run_id);
  return select->executeStep();
}

void Store::State::insert(const FinishedRun& run) {
  const Recording& recording = run.recording;
  require_consistent(recording);
  if (holds(run.id)) remove(run.id);
  remove_checkpoint(run.id);
  RowWriter(statement("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
      .text(run.id)
      .integer(kEngineRevision)
      .text(run.config)
      .integer(run.init_seed)
      .integer(run.data_seed)
      .integer(recording.steps_done)
      .integer(recording.diverged_at)
      .integer(recording.stopped_early ? 1 : 0)
      .real(recording.best_loss)
      .integer(static_cast<int64_t>(recording.series.size()))
      .integer(static_cast<int64_t>(recording.weights.size()))
      .insert();
  RowWriter(statement("INSERT INTO timings VALUES (?, ?, ?)")).text(run.id).real(run.seconds).insert();
  static const std::string scalar_type = kScalarType, array_type = kArrayType;
  struct Kept {
    std::string shape;
    std::vector<float> single;
  };
  const auto bind_series = [&](RowWriter& row, const Series& series, int64_t position, Kept& kept) {
    const bool scalar = series.shape.empty();
    kept.shape = shape_text(series.shape);
    if (!scalar) kept.single = to_single(series.values);
    row.text(run.id).integer(position).text(series.address).text(kept.shape).text(scalar ? scalar_type : array_type);
    row.blob(series.steps);
    scalar ? row.blob(series.values) : row.blob(kept.single);
  };
  const auto bind_weights = [&](RowWriter& row, const WeightMatrix& weights, int64_t position, std::string& shape) {
    shape = shape_text({weights.rows, weights.columns});
    row.text(run.id).integer(position).text(weights.name).text(shape).text(array_type).blob(weights.values);
  };
  insert_items<Kept>("series", 8, recording.series, bind_series);
  insert_items<std::string>("weights", 7, recording.weights, bind_weights);
}

// Several rows share a statement, but few where they are large: what is made for them is in memory at the same time.
template <typename Kept, typename Item, typename Bind>
void Store::State::insert_items(const char* table, int columns, const std::vector<Item>& items, const Bind& bind) {
  constexpr size_t kValuesTogether = 1 << 17;
  for (size_t first = 0, count = 0; first < items.size(); first += count) {
    size_t values = items[first].values.size();
    for (count = 1; count < kRowsTogether && first + count < items.size(); ++count)
      if ((values += items[first + count].values.size()) > kValuesTogether) break;
    std::array<Kept, kRowsTogether> kept;
    RowWriter rows(statement(insertion(table, columns, count).c_str()));
    for (size_t i = first; i < first + count; ++i) {
      if (i > first) rows.next_row();
      bind(rows, items[i], static_cast<int64_t>(i), kept[i - first]);
    }
    rows.insert();
  }
}

Store::Store(const std::string& path, Mode mode) : state_(std::make_unique<State>(path, mode)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

const std::string& Store::path() const { return state_->path; }

bool Store::has(const std::string& run_id) const {
  const bool found = state_->guarded([&] {
    StatementUse select(state_->statement("SELECT 1 FROM runs WHERE id = ? AND engine_revision = ?"));
    select->bind(1, run_id);
    select->bind(2, kEngineRevision);
    return select->executeStep();
  });
  // "Not trained yet" is said only of a table that is whole. Table and index are read in one transaction, or what a
  // writer adds meanwhile would stand in one of them only.
  if (!found && !state_->runs_are_whole) state_->reading([&] { state_->require_whole_runs(); });
  return found;
}

const std::vector<std::string>& Store::notices() const { return state_->notices; }

void Store::save(const std::vector<FinishedRun>& runs) {
  if (runs.empty()) return;
  State& state = *state_;
  try {
    state.writing([&] {
      for (const FinishedRun& run : runs) state.insert(run);
    });
  } catch (...) {
    if (runs.size() < 2) throw;
    for (const FinishedRun& run : runs) save({run});  // up to the one that cannot be
  }
}

Recording Store::load(const std::string& run_id) const {
  State& state = *state_;
  return state.reading([&] {
    State::RunRow run = state.run_row(run_id);
    Recording& recording = run.recording;
    RowReader series(state.statement("SELECT * FROM series WHERE run_id = ?"));
    series.where(run_id);
    for (PlacedSeries& one : read_placed<PlacedSeries>(series, run.series_count, "series",
                                                       [&](RowReader& row) { return read_series(row, run_id); }))
      recording.series.push_back(std::move(one.series));
    RowReader weights(state.statement("SELECT * FROM weights WHERE run_id = ?"));
    weights.where(run_id);
    for (PlacedWeights& one : read_placed<PlacedWeights>(weights, run.weights_count, "weights",
                                                         [&](RowReader& row) { return read_weights(row, run_id); }))
      recording.weights.push_back(std::move(one.weights));
    return std::move(recording);
  });
}

Recording Store::load(const std::string& run_id, const std::vector<std::string>& addresses) const {
  State& state = *state_;
  return state.reading([&] {
    Recording recording = state.run_row(run_id).recording;
    for (const std::string& address : addresses) {
      RowReader row(state.statement("SELECT * FROM series WHERE run_id = ? AND address = ?"));
      if (!row.where(run_id, address).next()) {
        check_structure(state.database, "series");
        throw_missing_series(state.path, run_id, address);
      }
      recording.series.push_back(read_series(row, run_id).series);
    }
    return recording;
  });
}

}  // namespace atto
