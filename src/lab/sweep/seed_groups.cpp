#include "lab/sweep/seed_groups.h"

#include "spec/run_spec.h"

namespace atto {

SeedGroups::SeedGroups(const ObservePlan& plan, const std::vector<PendingRun>& runs)
    : plan_(plan), waits_(has_functions(plan)) {
  if (!waits_) return;
  for (const PendingRun& pending : runs) {
    const Run& run = *pending.run;
    if (!rows_.contains(run.cell)) rows_[run.cell] = rows_together(RunSpec(run.config), plan);
    ++missing_[key_of(run)];
  }
}

SeedGroups::Key SeedGroups::key_of(const Run& run) const {
  return {run.cell, group_of(run.config.seeds, rows_.at(run.cell))};
}

std::vector<TrainedRun> SeedGroups::add(TrainedRun run) {
  std::vector<TrainedRun> group;
  if (!waits_) {
    group.push_back(std::move(run));
    return group;
  }
  {
    const std::lock_guard lock(mutex_);
    const Key key = key_of(*run.run);
    waiting_[key].push_back(std::move(run));
    if (--missing_[key] > 0) return group;
    group = std::move(waiting_[key]);
    waiting_.erase(key);
  }
  measure(group);
  return group;
}

std::vector<std::pair<size_t, std::vector<TrainedRun>>> SeedGroups::take_waiting() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<size_t, std::vector<TrainedRun>>> groups;
  for (auto& [key, group] : waiting_) groups.emplace_back(key.first, std::move(group));
  waiting_.clear();
  return groups;
}

void SeedGroups::measure(std::vector<TrainedRun>& group) const {
  std::vector<HistoryOfRun> histories;
  for (TrainedRun& one : group) {
    HistoryOfRun& history = histories.emplace_back();
    history.history = &one.result.history;
    history.place = place_of(one.run->config.seeds, rows_.at(one.run->cell));
    for (Series& series : one.result.recording.series) history.series.push_back(&series);
  }
  measure_histories(RunSpec(group.front().run->config), plan_, histories);
}

}  // namespace atto
