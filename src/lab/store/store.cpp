#include "lab/store/store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "lab/store/file.h"
#include "lab/store/state.h"

namespace atto {
namespace {

constexpr const char* kScalarType = "<f8";  // NumPy's names; every bit of a scalar is kept
constexpr const char* kArrayType = "<f4";   // arrays are made of the engine's single-precision numbers

// "[]", "[4,2]": JSON, which NumPy's reshape takes after json.loads.
std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

std::vector<int64_t> parse_shape(const std::string& text) {
  std::vector<int64_t> shape;
  if (text == "[]") return shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  char expected = '[';
  while (at < end && *at == expected) {
    int64_t extent = 0;
    const auto [next, problem] = std::from_chars(at + 1, end, extent);
    if (problem != std::errc() || extent < 0) break;
    shape.push_back(extent);
    if (next + 1 == end && *next == ']') return shape;
    at = next;
    expected = ',';
  }
  RowReader::damaged("'" + text + "' is no shape");
}

// product(shape) without overflow; a shape that does not describe `count` numbers is damage.
void require_count(const std::vector<int64_t>& shape, size_t blocks, size_t count) {
  size_t product = blocks;
  for (const int64_t extent : shape)
    if (__builtin_mul_overflow(product, static_cast<size_t>(extent), &product)) product = count + 1;
  if (product != count) RowReader::damaged("a series does not have as many values as its shape says");
}

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

SQLite::Database open_locked(const std::string& path, Store::Mode mode, std::optional<WriterLock>& lock) {
  if (path == kInMemory) return make_store_in_memory();
  if (mode == Store::Mode::write) {
    prepare_folder(path);
    lock.emplace(path);
  }
  return open_store(path, mode);
}

}  // namespace

Store::State::State(const std::string& given, Mode mode)
    : path(given), real_path(resolve(given)), lock(), database(open_locked(real_path, mode, lock)) {}

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
  return run;
}

Store::State::RunRow Store::State::run_row(const std::string& run_id) {
  RowReader row(statement("SELECT * FROM runs WHERE id = ?"));
  if (!row.where(run_id).next()) {
    check_structure(database, "runs");  // or is it there, and the way to it is lost?
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

void Store::State::insert(const FinishedRun& run) {
  const Recording& recording = run.recording;
  require_consistent(recording);
  for (const char* sql : {"DELETE FROM runs WHERE id = ?", "DELETE FROM checkpoints WHERE run_id = ?"}) {
    StatementUse remove(statement(sql));
    remove->bind(1, run.id);
    remove->exec();
  }
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
  int64_t position = 0;
  for (const Series& series : recording.series) {
    const bool scalar = series.shape.empty();
    const std::string shape = shape_text(series.shape), type = scalar ? kScalarType : kArrayType;
    const std::vector<float> single = scalar ? std::vector<float>{} : to_single(series.values);
    RowWriter row(statement("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
    row.text(run.id).integer(position++).text(series.address).text(shape).text(type).blob(series.steps);
    (scalar ? row.blob(series.values) : row.blob(single)).insert();
  }
  position = 0;
  for (const WeightMatrix& weights : recording.weights) {
    const std::string shape = shape_text({weights.rows, weights.columns}), type = kArrayType;
    RowWriter row(statement("INSERT INTO weights VALUES (?, ?, ?, ?, ?, ?, ?)"));
    row.text(run.id).integer(position++).text(weights.name).text(shape).text(type).blob(weights.values).insert();
  }
}

Store::Store(const std::string& path, Mode mode) : state_(std::make_unique<State>(path, mode)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

const std::string& Store::path() const { return state_->path; }

bool Store::has(const std::string& run_id) const {
  return state_->guarded([&] {
    StatementUse select(state_->statement("SELECT 1 FROM runs WHERE id = ? AND engine_revision = ?"));
    select->bind(1, run_id);
    select->bind(2, kEngineRevision);
    return select->executeStep();
  });
}

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
    recording.series.resize(static_cast<size_t>(run.series_count));
    int64_t found = 0;
    RowReader row(state.statement("SELECT * FROM series WHERE run_id = ?"));
    for (row.where(run_id); row.next(); ++found) {
      PlacedSeries placed = read_series(row, run_id);
      if (placed.position < 0 || placed.position >= run.series_count) RowReader::damaged("a series too many");
      recording.series[static_cast<size_t>(placed.position)] = std::move(placed.series);
    }
    if (found != run.series_count) RowReader::damaged("run " + run_id + " lacks some of its series");

    recording.weights.resize(static_cast<size_t>(run.weights_count));
    found = 0;
    RowReader weights_row(state.statement("SELECT * FROM weights WHERE run_id = ?"));
    for (weights_row.where(run_id); weights_row.next(); ++found) {
      if (weights_row.text() != run_id) RowReader::damaged("an index leads to the wrong row");
      const int64_t position = weights_row.integer();
      WeightMatrix weights;
      weights.name = weights_row.text();
      const std::string shape_json = weights_row.text();
      weights_row.text();  // dtype
      weights.values = weights_row.blob<float>();
      weights_row.check();
      const std::vector<int64_t> shape = parse_shape(shape_json);
      require_count(shape, 1, weights.values.size());
      if (shape.size() != 2 || position < 0 || position >= run.weights_count) RowReader::damaged("a matrix too many");
      weights.rows = shape[0];
      weights.columns = shape[1];
      recording.weights[static_cast<size_t>(position)] = std::move(weights);
    }
    if (found != run.weights_count) RowReader::damaged("run " + run_id + " lacks some of its weights");
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
