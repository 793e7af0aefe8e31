// Work without Python's lock, and an orderly end of the interpreter while such work goes on.
//
// A thread that comes back to an interpreter which has ended is killed by it in the middle of C++, and the process
// aborts. So before it ends (atexit) whatever can stop is asked to, and the interpreter waits until no thread is away
// any more.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>

namespace atto::python {

// While it lives others may use Python; once the interpreter is about to end it keeps the lock instead.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_ = nullptr;
};

// Something that goes on for long. While it is listed it is abandoned when the interpreter is about to end.
class Stoppable {
 public:
  virtual void abandon() = 0;          // it ends as soon as it can, and waits for nobody
  virtual void wait_until_over() = 0;  // after abandon(), from another thread

 protected:
  ~Stoppable() = default;
};

class Listed {
 public:
  explicit Listed(Stoppable& work);
  ~Listed();
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Stoppable& work_;
};

bool interpreter_ends();

// Throws what a signal raises, such as KeyboardInterrupt, to a thread that is without the lock.
void check_signals();

// The same for a thread that is at work and looks up now and then: a signal sets `stop`, and is thrown when all is
// over.
class SignalWatch {
 public:
  explicit SignalWatch(std::atomic<bool>& stop) : stop_(stop) {}
  // Without the lock. It may have to wait for the lock, so it takes it ten times a second at the most.
  void look();
  void rethrow() const;  // with the lock

 private:
  std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::exception_ptr signal_;
};

}  // namespace atto::python
