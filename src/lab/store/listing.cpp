// What the store holds beside the records of single runs: lists, verdicts, membership, the digest.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include <xxhash.h>

#include "lab/store/disk/file.h"
#include "lab/store/run_table.h"
#include "lab/store/state.h"

namespace atto {

namespace {

// How long each run took. Timings are filed with their runs, so they stand in the same order, and the next one is
// nearly always the one that is asked for.
class Timings {
 public:
  explicit Timings(Store::State& state)
      : state_(state), next_(state.statement("SELECT * FROM timings NOT INDEXED ORDER BY rowid")) {
    advance();
  }

  double of(const std::string& run_id) {
    if (there_ && run_id == id_) {
      const double seconds = seconds_;
      advance();
      return seconds;
    }
    RowReader row(state_.statement("SELECT * FROM timings WHERE run_id = ?"));
    if (!row.where(run_id).next()) RowReader::damaged("run " + run_id + " lacks its timing");
    row.text();
    const double seconds = row.real();
    row.check();
    return seconds;
  }

 private:
  void advance() {
    there_ = next_.next();
    if (!there_) return;
    id_ = next_.text();
    seconds_ = next_.real();
    next_.check();
  }

  Store::State& state_;
  RowReader next_;
  bool there_ = false;
  std::string id_;
  double seconds_ = 0;
};

// Ids differ in their first characters nearly always, and these fit into a number.
uint64_t beginning_of(const std::string& id) {
  std::array<unsigned char, 8> first{};
  std::memcpy(first.data(), id.data(), std::min(id.size(), first.size()));
  uint64_t value = 0;
  for (const unsigned char byte : first) value = value << 8 | byte;
  return value;
}

std::vector<RunSummary> by_id(std::vector<RunSummary>&& runs) {
  std::vector<std::pair<uint64_t, size_t>> order;
  order.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) order.emplace_back(beginning_of(runs[i].id), i);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : runs[a.second].id < runs[b.second].id;
  });
  std::vector<RunSummary> sorted;
  sorted.reserve(runs.size());
  for (const auto& [beginning, place] : order) sorted.push_back(std::move(runs[place]));
  return sorted;
}

}  // namespace

std::vector<RunSummary> Store::runs() const {
  State& state = *state_;
  return state.reading([&] {
    std::vector<RunSummary> all;
    Timings timings(state);
    each_run(state, [&](State::RunRow&& run) {
      run.summary.seconds = timings.of(run.summary.id);
      all.push_back(std::move(run.summary));
    });
    state.runs_are_whole = true;
    return by_id(std::move(all));
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
