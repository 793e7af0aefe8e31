// What a sweep has before it: which runs, how many steps, how much memory.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lab/store/store.h"
#include "lab/study/study.h"
#include "lab/sweep/memory_budget.h"

namespace atto {

// Recordings and checkpoints, however large, that may wait for each thread to be saved while as many are being saved.
inline constexpr size_t kWaitingPerThread = 2;

// A run the store lacks.
struct PendingRun {
  const Run* run = nullptr;
  int64_t done = 0;  // steps its checkpoint has behind it; 0: there is none
  double cost = 0;   // estimate of the others
};

struct Forecast {
  int64_t runs = 0;        // different ones asked for
  int64_t stored = 0;      // of these, found in the store
  int64_t unfinished = 0;  // of the others, those that have a checkpoint
  int64_t steps = 0;       // of all runs
  int64_t steps_left = 0;  // not yet trained
  SweepMemory memory;
  std::vector<PendingRun> pending;  // longest first, so that no long one is left for the end
};

// `store` is nullptr when there is none yet; `threads` 0 is every core. What is pending points into `runs`.
Forecast forecast_sweep(const Study& study, const std::vector<Run>& runs, const Store* store, int threads);

// RunSpec::cost() of the runs of a study, described once for each cell: they differ in nothing but their seeds.
class RunCosts {
 public:
  double of(const Run& run);

 private:
  std::map<size_t, double> by_cell_;
};

}  // namespace atto
