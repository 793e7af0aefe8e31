// What was asked of the runs, and when.
#include "lab/store/disk/file.h"
#include "lab/store/state.h"

namespace atto {

void Store::save_questions(const std::vector<StoredQuestion>& questions) {
  if (questions.empty()) return;
  State& state = *state_;
  state.writing([&] {
    for (const StoredQuestion& one : questions) {
      int64_t position = 0;
      {
        StatementUse count(
            state.statement("SELECT count(*) FROM questions WHERE study = ? AND profile = ? AND claim = ?"));
        count->bind(1, one.study);
        count->bind(2, one.profile);
        count->bind(3, one.claim);
        if (count->executeStep()) position = count->getColumn(0).getInt64();
      }
      RowWriter row(state.statement("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
      row.text(one.study).text(one.profile).text(one.claim).integer(position).text(one.hash).text(one.text);
      row.integer(one.runs_before).insert();
    }
  });
}

std::vector<Store::StoredQuestion> Store::questions(const std::string& study) const {
  State& state = *state_;
  return state.reading([&] {
    std::vector<StoredQuestion> all;
    if (!state.database.tableExists("questions")) return all;  // a store of format 1 or 2 that nobody wrote to since
    check_structure(state.database, "questions");
    RowReader row(state.statement("SELECT * FROM questions WHERE study = ? ORDER BY profile, claim, position"));
    for (row.where(study); row.next();) {
      StoredQuestion& one = all.emplace_back();
      one.study = row.text();
      one.profile = row.text();
      one.claim = row.text();
      one.position = row.integer();
      one.hash = row.text();
      one.text = row.text();
      one.runs_before = row.integer();
      row.check();
    }
    return all;
  });
}

bool Store::has_runs() const {
  return state_->guarded([&] {
    StatementUse select(state_->statement("SELECT 1 FROM runs LIMIT 1"));
    return select->executeStep();
  });
}

std::map<std::string, std::string> Store::held_configs(const std::vector<std::string>& run_ids) const {
  State& state = *state_;
  return state.reading([&] {
    std::map<std::string, std::string> held;
    for (const std::string& id : run_ids) {
      StatementUse select(state.statement("SELECT config FROM runs WHERE id = ?"));
      select->bind(1, id);
      if (select->executeStep()) held[id] = select->getColumn(0).getString();
      else state.require_whole_runs();
    }
    return held;
  });
}

}  // namespace atto
