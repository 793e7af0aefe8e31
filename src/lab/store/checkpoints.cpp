// Runs in training: their last checkpoints.
#include <sqlite3.h>

#include "lab/store/state.h"

namespace atto {
namespace {

// A store of format 1 has no such table until somebody writes to it.
bool has_table(const SQLite::Database& database) { return database.tableExists("checkpoints"); }

struct CheckpointRow {
  int64_t engine_revision = 0;
  Store::StoredCheckpoint stored;
};

CheckpointRow read_checkpoint(RowReader& row, const std::string& run_id) {
  CheckpointRow found;
  Checkpoint& checkpoint = found.stored.checkpoint;
  if (row.text() != run_id) RowReader::damaged("an index leads to the wrong row");
  found.engine_revision = row.integer();
  checkpoint.snapshot.step = row.integer();
  checkpoint.snapshot.calm_steps = row.integer();
  found.stored.seconds = row.real();
  checkpoint.snapshot.parameters = row.blob<float>();
  checkpoint.snapshot.optimizer = row.blob<float>();
  checkpoint.snapshot.extra = row.blob<double>();
  checkpoint.measured = row.blob<double>();
  row.check();
  return found;
}

bool fits(const Checkpoint& checkpoint) {
  const Snapshot& snapshot = checkpoint.snapshot;
  return fits_a_row(snapshot.parameters.size() + snapshot.optimizer.size(),
                    snapshot.extra.size() + checkpoint.measured.size());
}

}  // namespace

bool fits_a_row(size_t singles, size_t doubles) {
  constexpr size_t kOtherColumns = 4096;
  return sizeof(float) * singles + sizeof(double) * doubles + kOtherColumns <= kLargestBlob;
}

void Store::save_checkpoint(const std::string& run_id, const Checkpoint& checkpoint, double seconds) {
  if (!fits(checkpoint)) return;
  const Snapshot& snapshot = checkpoint.snapshot;
  State& state = *state_;
  state.writing([&] {
    RowWriter(state.statement("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .text(run_id)
        .integer(kEngineRevision)
        .integer(snapshot.step)
        .integer(snapshot.calm_steps)
        .real(seconds)
        .blob(snapshot.parameters)
        .blob(snapshot.optimizer)
        .blob(snapshot.extra)
        .blob(checkpoint.measured)
        .insert();
  });
}

std::optional<Store::StoredCheckpoint> Store::checkpoint(const std::string& run_id) const {
  State& state = *state_;
  return state.reading([&]() -> std::optional<StoredCheckpoint> {
    if (!has_table(state.database)) return std::nullopt;
    RowReader row(state.statement("SELECT * FROM checkpoints WHERE run_id = ?"));
    if (!row.where(run_id).next()) return std::nullopt;
    try {
      CheckpointRow found = read_checkpoint(row, run_id);
      if (found.engine_revision != kEngineRevision) return std::nullopt;
      return std::move(found.stored);
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_CORRUPT) throw;
      return std::nullopt;  // nothing is lost but time: the run can be trained from its beginning
    }
  });
}

std::map<std::string, int64_t> Store::checkpoint_steps() const {
  State& state = *state_;
  return state.reading([&] {
    std::map<std::string, int64_t> steps;
    if (!has_table(state.database)) return steps;
    StatementUse select(state.statement("SELECT run_id, step FROM checkpoints WHERE engine_revision = ?"));
    select->bind(1, kEngineRevision);
    while (select->executeStep()) steps[select->getColumn(0).getString()] = select->getColumn(1).getInt64();
    return steps;
  });
}

}  // namespace atto
