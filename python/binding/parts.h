// Parts of a study that are written in Python: who calls them, when and on which thread.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/host_calls.h"
#include "lab/study/own_parts.h"
#include "lab/sweep/scheduler.h"

namespace atto::python {

// Detectors that have raised an exception, the first one of each; what they should have found is missing.
struct DetectorFailures {
  std::mutex mutex;
  std::map<std::string, CellFailure> first;  // by detector
};

// What one study, or one ensemble, has of them. Threads that train post their calls to `calls`; the thread of Python
// that waits for them serves it.
struct HostedParts {
  std::shared_ptr<DetectorFailures> failures = std::make_shared<DetectorFailures>();
  std::shared_ptr<HostCalls> calls = std::make_shared<HostCalls>();
  std::shared_ptr<const OwnParts> parts = std::make_shared<const OwnParts>();
};

// Of a list of objects that are a Part (attoscope/_parts.py).
HostedParts hosted_parts(const nanobind::list& parts);

// A part in Python, for which somebody there cares: the study or the ensemble. To hold it here as well would close a
// circle that the collector of garbage cannot see: part, function, its globals, ensemble, part.
class PythonPart {
 public:
  explicit PythonPart(const nanobind::object& part) : reference_(part) {}
  ~PythonPart();
  PythonPart(const PythonPart&) = delete;
  PythonPart& operator=(const PythonPart&) = delete;

  // With the GIL. Error(usage) where it is gone.
  nanobind::object get() const;

 private:
  nanobind::weakref reference_;
};

// Runs `call` with the GIL. An exception of it becomes a PartFailure of that part with its traceback; an interrupt is
// none, and ends everything.
void call_python(const std::string& part, const std::function<void()>& call);

// Does work that trains on another thread, while this one serves its calls and sees Ctrl-C, which sets `stop`; a second
// Ctrl-C gives up what waits for Python. Called with the GIL; it is free meanwhile.
void work_hosted(HostCalls& calls, std::atomic<bool>& stop, const std::function<void()>& work);

// The same for a thread that trains itself, as one of as many as there are cores, and answers the others in between.
// One more thread would take turns with one of those that train, while the others wait for its answers. While it lives,
// calls of others wait for serve(). It is made without the GIL.
class ServingThread {
 public:
  ServingThread(HostCalls& calls, std::atomic<bool>& stop);
  ~ServingThread();
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;

  // Of this thread, if it is one that serves these calls.
  static ServingThread* of(const HostCalls& calls);

  // Answers one call that waits, or waits for one for a moment if there is nothing else to do.
  void serve(bool idle);
  // Makes a call of this thread's own.
  std::future<void> make(const HostCalls::Call& call);
  // What a signal has raised, or nothing.
  std::exception_ptr interrupt() const { return interrupt_; }

 private:
  void interrupted(std::exception_ptr cause);

  HostCalls& calls_;
  std::atomic<bool>& stop_;
  ServingThread* const outer_;  // whose call has led here: a task may train an ensemble of its own
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::exception_ptr interrupt_;
  bool refused_ = false;
};

}  // namespace atto::python
