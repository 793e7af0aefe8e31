// Trained runs that wait for the other seeds of their group, with which functions from outside measure them together
// (observe/weight_function.h).
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "lab/sweep/forecast.h"
#include "observe/recorder.h"

namespace atto {

struct TrainedRun {
  const Run* run = nullptr;
  RecordResult result;
  double seconds = 0;
};

class SeedGroups {
 public:
  SeedGroups(const ObservePlan& plan, const std::vector<PendingRun>& runs);

  // What is wholly measured now: the run itself where nothing from outside is observed, its whole group with the last
  // of its runs, else nothing. Throws what the functions throw; the group is lost then.
  std::vector<TrainedRun> add(TrainedRun run);
  // Groups that no further run will complete: those of these cells are lost, the others are measured one by one.
  std::vector<std::pair<size_t, std::vector<TrainedRun>>> take_waiting();
  void measure(std::vector<TrainedRun>& group) const;

 private:
  using Key = std::pair<size_t, int64_t>;  // cell and group
  Key key_of(const Run& run) const;

  const ObservePlan& plan_;
  const bool waits_;
  std::map<size_t, int> rows_;  // by cell
  std::mutex mutex_;            // guards what follows
  std::map<Key, size_t> missing_;
  std::map<Key, std::vector<TrainedRun>> waiting_;
};

}  // namespace atto
