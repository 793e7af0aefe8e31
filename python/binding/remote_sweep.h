// A sweep that somebody else trains: Python hands it to an executor, pack by pack, and brings back stores.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "lab/sweep/packs.h"
#include "lab/sweep/scheduler.h"

namespace atto::python {

// The thread of a job waits in run() and uses the store for nothing meanwhile; the thread of Python merges.
class RemoteSweep {
 public:
  struct Options {
    PackLength length;
    int threads = 1;  // that train a pack
  };
  explicit RemoteSweep(const Options& options) : options_(options) {}

  // Offers what the store lacks as packs, and returns once Python has said that nothing more will come.
  SweepResult run(const Study& study, const std::vector<Run>& runs, Store& store, const SweepOptions& options);
  // run() returns, now and ever.
  void abandon();

  // The packs of a sweep that has begun since the last call; none where there is no such.
  std::vector<std::vector<RunPlace>> take_packs();
  // Takes over what a worker has sent: the path of a store. Which runs of its pack are still missing.
  std::vector<RunPlace> merge(const std::string& path, const std::vector<RunPlace>& pack);
  // Nothing more will come of this sweep.
  void finish();

 private:
  struct Sweep {
    std::map<std::pair<size_t, int64_t>, const PendingRun*> missing;  // by cell and seed
    Store& store;
    const SweepOptions& options;
    double cost = 0, done = 0;
    Progress progress;
  };

  Options options_;
  std::mutex mutex_;  // guards what follows, and the store while a sweep is on
  std::condition_variable change_;
  std::vector<std::vector<RunPlace>> offered_;
  Sweep* sweep_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace atto::python
