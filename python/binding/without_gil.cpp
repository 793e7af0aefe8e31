#include "without_gil.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "bindings.h"

namespace atto::python {
namespace {

// Of the process, as the interpreter's end is. Never destroyed: daemon threads may come by until the very last. A
// forked process begins with none of them.
struct Threads {
  std::mutex lock;
  std::condition_variable came_back;
  int away = 0;
  std::vector<Stoppable*> working;
  std::atomic<bool> ending = false;
};

Threads*& pointer() {
  static auto* all = new Threads;
  return all;
}

Threads& threads() { return *pointer(); }

void forget() { pointer() = new Threads; }

void end() {
  Threads& all = threads();
  all.ending = true;
  const nb::gil_scoped_release release;
  std::unique_lock lock(all.lock);
  for (Stoppable* one : all.working) one->abandon();
  for (Stoppable* one : all.working) one->wait_until_over();
  all.came_back.wait(lock, [&all] { return all.away == 0; });
}

}  // namespace

WithoutGil::WithoutGil() {
  Threads& all = threads();
  if (all.ending) return;
  {
    const std::lock_guard lock(all.lock);
    ++all.away;
  }
  state_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
  if (state_ == nullptr) return;
  PyEval_RestoreThread(state_);
  Threads& all = threads();
  const std::lock_guard lock(all.lock);
  --all.away;
  all.came_back.notify_all();
}

Listed::Listed(Stoppable& work) : work_(work) {
  const std::lock_guard lock(threads().lock);
  threads().working.push_back(&work_);
}

Listed::~Listed() {
  const std::lock_guard lock(threads().lock);
  std::erase(threads().working, &work_);
}

bool interpreter_ends() { return threads().ending; }

void check_signals() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void SignalWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < std::chrono::milliseconds(100)) return;
  looked_ = now;
  try {
    check_signals();
  } catch (const nb::python_error&) {
    if (!signal_) signal_ = std::current_exception();
    stop_ = true;
  }
}

void SignalWatch::rethrow() const {
  if (signal_) std::rethrow_exception(signal_);
}

void bind_end(nb::module_& /*module*/) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") = nb::cpp_function(&forget));
}

}  // namespace atto::python
