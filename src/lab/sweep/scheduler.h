// Trains the runs a study still lacks on all cores and files them in the store.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/sweep/forecast.h"
#include "observe/recorder.h"

namespace atto {

struct Progress {
  int64_t total = 0;          // different runs asked for
  int64_t cached = 0;         // of these, found in the store
  int64_t done = 0;           // finished and saved now
  int64_t diverged = 0;       // of these
  int64_t resumed = 0;        // of the others, those that go on from a checkpoint
  double steps_fraction = 0;  // 0..1 share of the training steps left to this job that are done, in-flight runs
                              // included; a step counts by what it is estimated to cost
  double seconds = 0;
};

struct SweepOptions {
  int threads = 0;                          // 0: every core
  const std::atomic<bool>* stop = nullptr;  // set by Ctrl-C: finish nothing more, keep what is done
  std::function<void(const Progress&)>
      on_progress;  // called from the calling thread, ten times a second and at the end
  // Seconds of training between two checkpoints of a run, which a kill may cost; a stop costs nothing. 0: no
  // checkpoints are made. Those found in the store are used in any case.
  double checkpoint_every = 30;
  // How one run is trained; must be safe to call from several threads.
  using Train = RecordResult(const RunSpec&, const SeriesPlan&, const StepCallback&, std::optional<Checkpoint>);
  std::function<Train> train = static_cast<Train*>(record_run);
};

// A part that the host brought along (base/host_calls.h) has failed: none of the cell's runs goes on.
struct CellFailure {
  size_t cell = 0;
  int64_t seed = 0;  // of the run that met it, 0-based within the cell
  std::string part, message, details;
};

struct SweepResult {
  Progress progress;
  bool interrupted = false;  // runs are missing: it was stopped, or cells have failed
  std::vector<CellFailure> failures;
};

// Every finished run is in the store when this returns. Memory does not grow with the number of runs. Refuses with
// Error(resources), before starting, a sweep whose estimate exceeds the machine's memory. An exception of a worker or
// of the store (disk full) stops the sweep and is rethrown here; runs saved before it are kept.
SweepResult run_all(const Study& study, const std::vector<Run>& runs, Store& store, const SweepOptions& options);

}  // namespace atto
