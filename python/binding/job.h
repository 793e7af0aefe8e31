// A sweep that trains on threads of its own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lab/results/decide.h"
#include "remote_sweep.h"
#include "shared_store.h"
#include "study.h"
#include "without_gil.h"

namespace atto::python {

// Whether every cell has the runs that its study plans.
bool has_all_runs(const StudyResult& result);

// Trains what a study lacks and judges it; runs that were picked from a study are trained and not judged. No thread of
// it ever touches Python.
class Job : public Stoppable {
 public:
  // With `remote` others train.
  Job(CheckedStudy study, std::shared_ptr<SharedStore> store, int threads, double checkpoint,
      std::shared_ptr<RemoteSweep> remote);
  ~Job();

  // True once it is over; serves calls to Python for so many seconds at most.
  bool wait(double seconds);
  // Runs end at their next checkpoint, for which their calls are still answered.
  void stop() { stop_ = true; }
  // They end at their next call to Python.
  void abandon() override;
  Progress progress() const;
  std::string look_text() const;  // what the last look said, "" before the first

  // After wait() was true. Rethrows what went wrong. The result is of what the store has, all of it unless stopped.
  struct Collected {
    CheckedStudy study;  // its runs are those of all looks
    std::shared_ptr<SharedStore> store;
    StudyResult result;  // nothing where runs were picked
    bool complete = false;
    std::vector<CellFailure> failures;
  };
  std::shared_ptr<Collected> finish();

 private:
  void work();
  void train();
  void wait_until_over() override;

  pid_t process_;  // a forked one has no thread of it
  CheckedStudy study_;
  std::shared_ptr<SharedStore> store_;
  std::shared_ptr<RemoteSweep> remote_;
  SweepOptions sweep_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex state_;
  std::condition_variable ended_;
  bool over_ = false;
  Progress progress_;
  std::string look_;
  std::exception_ptr failure_;
  std::optional<StudyResult> result_;
  bool picked_complete_ = false;  // all runs that were picked are there
  std::vector<CellFailure> failures_;
  std::thread thread_;
  Listed listed_{*this};
};

}  // namespace atto::python
