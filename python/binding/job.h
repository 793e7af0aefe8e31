// A store that several Python objects share, and a sweep that trains on threads of its own.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lab/results/decide.h"
#include "study.h"

namespace atto::python {

// One thread at a time works with it; who does holds `in_use`.
struct SharedStore {
  SharedStore(const std::string& path, Store::Mode mode) : store(std::in_place, path, mode) {}

  // Error(store) once it was closed.
  Store& open();

  std::mutex in_use;
  std::optional<Store> store;
};

// Trains what a study lacks and judges it. No thread of it ever touches Python.
class Job {
 public:
  Job(CheckedStudy study, std::shared_ptr<SharedStore> store, int threads, double checkpoint);
  ~Job();

  // True once it is over; serves calls to Python for so many seconds at most.
  bool wait(double seconds);
  // Runs end at their next checkpoint, for which their calls are still answered.
  void stop() { stop_ = true; }
  // They end at their next call to Python.
  void abandon();
  Progress progress() const;
  std::string look_text() const;  // what the last look said, "" before the first

  // After wait() was true. Rethrows what went wrong. The result is of what the store has, all of it unless stopped.
  struct Collected {
    CheckedStudy study;  // its runs are those of all looks
    std::shared_ptr<SharedStore> store;
    StudyResult result;
    bool complete = false;
    std::vector<CellFailure> failures;
  };
  std::shared_ptr<Collected> finish();

 private:
  void work();

  CheckedStudy study_;
  std::shared_ptr<SharedStore> store_;
  SweepOptions sweep_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex state_;
  bool over_ = false;
  Progress progress_;
  std::string look_;
  std::exception_ptr failure_;
  std::optional<StudyResult> result_;
  std::vector<CellFailure> failures_;
  std::thread thread_;
};

}  // namespace atto::python
