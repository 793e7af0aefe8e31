// Giving up what nothing will read again.
#include "lab/store/state.h"

namespace atto {
namespace {

constexpr const char* kOldRuns = "engine_revision <> ?";
std::string of_old_runs() { return std::string(" WHERE run_id IN (SELECT id FROM runs WHERE ") + kOldRuns + ")"; }
// Of another engine, or of a run that no study asks for any more.
constexpr const char* kOldCheckpoints = "engine_revision <> ? OR run_id NOT IN (SELECT run_id FROM members)";

}  // namespace

Store::Outdated Store::outdated() const {
  State& state = *state_;
  return state.reading([&] {
    Outdated found;
    const auto count = [&](const std::string& sql) {
      SQLite::Statement select(state.database, sql);
      select.bind(1, kEngineRevision);
      select.executeStep();
      found.bytes += select.getColumn(1).getInt64();
      return select.getColumn(0).getInt64();
    };
    found.runs = count(std::string("SELECT count(*), total(length(config)) FROM runs WHERE ") + kOldRuns);
    count("SELECT count(*), total(length(steps) + length(data)) FROM series" + of_old_runs());
    count("SELECT count(*), total(length(data)) FROM weights" + of_old_runs());
    if (state.database.tableExists("checkpoints"))
      found.checkpoints =
          count(std::string("SELECT count(*), total(length(parameters) + length(optimizer) + length(extra) + "
                            "length(measured)) FROM checkpoints WHERE ") +
                kOldCheckpoints);
    return found;
  });
}

Store::Outdated Store::prune() {
  State& state = *state_;
  const Outdated dropped = outdated();
  state.writing([&] {
    for (const std::string& sql :
         {"DELETE FROM series" + of_old_runs(), "DELETE FROM weights" + of_old_runs(),
          "DELETE FROM timings" + of_old_runs(), std::string("DELETE FROM runs WHERE ") + kOldRuns,
          std::string("DELETE FROM checkpoints WHERE ") + kOldCheckpoints}) {
      SQLite::Statement remove(state.database, sql);
      remove.bind(1, kEngineRevision);
      remove.exec();
    }
  });
  state.guarded([&] {
    state.statements.clear();  // none may be open while the file is written anew
    state.database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  });
  return dropped;
}

}  // namespace atto
