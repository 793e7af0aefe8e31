#include "lab/provenance/history.h"

#include <map>
#include <set>

#include "base/contains.h"
#include "base/error.h"

namespace atto {
namespace {

// Ids of the runs that a study's cells may come to, expanded once they are asked for.
class RunIds {
 public:
  RunIds(const Study& study, std::vector<Cell> cells) : study_(study), cells_(std::move(cells)) {
    for (Cell& cell : cells_) cell.seeds = seeds_at_look(study.seeds, cell.seeds, look_count(study.seeds) - 1);
  }

  std::vector<std::string> of(const Question& question) {
    if (ids_.empty()) {
      ids_.resize(cells_.size());
      for (const Run& run : expand_runs(study_, cells_)) ids_[run.cell].push_back(run.id);
    }
    std::vector<std::string> ids;
    for (const size_t cell : question.cells) ids.insert(ids.end(), ids_[cell].begin(), ids_[cell].end());
    return ids;
  }

 private:
  const Study& study_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::string>> ids_;  // by cell
};

// Runs that the study was last expanded to, under any profile or option, that an earlier question spoke of and the
// store holds.
std::vector<std::string> runs_of(const std::string& study, const std::string& question, const Store& store) {
  std::vector<std::string> members, found;
  for (const Store::Membership& one : store.membership(study)) members.push_back(one.run_id);
  const std::vector<std::string> asked = settings_of_question(question);
  for (const auto& [id, config] : store.held_configs(members))
    if (contains(asked, settings_of_run(config))) found.push_back(id);
  return found;
}

}  // namespace

std::vector<ClaimHistory> claim_histories(const Study& written, const Store* store) {
  std::map<std::string, std::vector<AskedQuestion>> seen;  // by claim
  if (store != nullptr)
    for (Store::StoredQuestion& one : store->questions(written.name))
      if (one.profile == written.profile)
        seen[one.claim].push_back({std::move(one.hash), std::move(one.text), one.runs_before});
  const std::vector<Cell> cells = expand_cells(written);
  RunIds ids(written, cells);
  const bool trained_any = store != nullptr && store->has_runs();
  std::vector<ClaimHistory> histories;
  for (Question& question : questions_of(written, cells)) {
    ClaimHistory& history = histories.emplace_back();
    history.asked = std::move(seen[question.claim]);
    history.recorded = !history.asked.empty() && history.asked.back().hash == question.hash;
    if (!history.recorded) {
      std::set<std::string> trained;
      if (trained_any) {
        for (const auto& [id, config] : store->held_configs(ids.of(question))) trained.insert(id);
        if (!history.asked.empty())
          for (const std::string& id : runs_of(written.name, history.asked.back().text, *store)) trained.insert(id);
      }
      history.asked.push_back({question.hash, question.text, std::ssize(trained)});
    }
    history.present = std::move(question);
  }
  return histories;
}

void record_questions(const Study& study, Store& store) {
  if (!study.written) return;  // it was not read from a text
  std::vector<Store::StoredQuestion> entries;
  for (const Study& written : *study.written) {
    try {
      for (const ClaimHistory& one : claim_histories(written, &store)) {
        const AskedQuestion& last = one.asked.back();
        if (!one.recorded)
          entries.push_back(
              {study.name, written.profile, one.present.claim, 0, last.hash, last.text, last.runs_before});
      }
    } catch (const Error& error) {
      // Whatever is wrong with cells of a profile that nobody asked for shows on the day somebody does.
      if (written.profile == study.profile || error.kind() != ErrorKind::config) throw;
    }
  }
  store.save_questions(entries);
}

}  // namespace atto
