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

}  // namespace atto::python
