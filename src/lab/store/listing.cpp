// What the store holds beside the records of single runs: lists, verdicts, membership, the digest.
#include <array>
#include <cstdio>

#include <xxhash.h>

#include "lab/store/file.h"
#include "lab/store/state.h"

namespace atto {

std::vector<RunSummary> Store::runs() const {
  State& state = *state_;
  return state.reading([&] {
    check_structure(state.database, "runs");
    std::vector<RunSummary> all;
    RowReader row(state.statement("SELECT * FROM runs ORDER BY id"));
    while (row.next()) {
      all.push_back(State::read_run(row).summary);
      RowReader timing(state.statement("SELECT * FROM timings WHERE run_id = ?"));
      if (!timing.where(all.back().id).next()) RowReader::damaged("run " + all.back().id + " lacks its timing");
      timing.text();
      all.back().seconds = timing.real();
      timing.check();
    }
    state.runs_are_whole = true;
    return all;
  });
}

void Store::save_verdicts(const std::string& study, const std::string& profile, const std::string& json) {
  State& state = *state_;
  state.writing([&] {
    RowWriter row(state.statement("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)"));
    row.text(study).text(profile).text(json).insert();
  });
}

std::vector<Store::StoredVerdicts> Store::verdicts() const {
  State& state = *state_;
  return state.reading([&] {
    check_structure(state.database, "verdicts");
    std::vector<StoredVerdicts> all;
    RowReader row(state.statement("SELECT * FROM verdicts ORDER BY study, profile"));
    while (row.next()) {
      StoredVerdicts& one = all.emplace_back();
      one.study = row.text();
      one.profile = row.text();
      one.json = row.text();
      row.check();
    }
    return all;
  });
}

void Store::save_membership(const std::string& study, const std::string& profile,
                            const std::vector<Membership>& members) {
  State& state = *state_;
  state.writing([&] {
    {
      StatementUse remove(state.statement("DELETE FROM members WHERE study = ? AND profile = ?"));
      remove->bind(1, study);
      remove->bind(2, profile);
      remove->exec();
    }
    int64_t position = 0;
    for (const Membership& one : members) {
      RowWriter row(state.statement("INSERT INTO members VALUES (?, ?, ?, ?, ?, ?, ?)"));
      row.text(study).text(profile).integer(position++).text(one.cell).integer(one.seed).text(one.run_id).insert();
    }
  });
}

std::vector<Store::Membership> Store::membership(const std::string& study) const {
  State& state = *state_;
  return state.reading([&] {
    check_structure(state.database, "members");
    std::vector<Membership> all;
    RowReader row(state.statement("SELECT * FROM members WHERE study = ? ORDER BY profile, position"));
    for (row.where(study); row.next();) {
      Membership& one = all.emplace_back();
      one.study = row.text();
      one.profile = row.text();
      row.integer();  // position
      one.cell = row.text();
      one.seed = row.integer();
      one.run_id = row.text();
      row.check();
      require_run_id(one.run_id);
    }
    return all;
  });
}

std::string Store::content_digest() const {
  State& state = *state_;
  return state.reading([&] {
    check_structure(state.database);
    std::vector<int64_t> checksums;
    StatementUse select(state.statement(R"(
        SELECT 'members' AS kind, study || '/' || profile AS name, position AS part, checksum FROM members
        UNION ALL SELECT 'runs', id, 0, checksum FROM runs
        UNION ALL SELECT 'series', run_id, position, checksum FROM series
        UNION ALL SELECT 'verdicts', study || '/' || profile, 0, checksum FROM verdicts
        UNION ALL SELECT 'weights', run_id, position, checksum FROM weights
        ORDER BY kind, name, part)"));
    while (select->executeStep()) checksums.push_back(select->getColumn(3).getInt64());
    const XXH128_hash_t digest = XXH3_128bits(checksums.data(), checksums.size() * sizeof(int64_t));
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(digest.high64),
                  static_cast<unsigned long long>(digest.low64));
    return std::string(text.data());
  });
}

}  // namespace atto
