// Calls into the program that embeds this one, such as an interpreter of which only certain threads may ask anything.
//
// Threads that train post a call and go on or wait for it; the thread of the host serves what was posted. So a task, an
// observable or a detector written in the host's language is called by the host alone. Nothing here knows the host.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "base/error.h"

namespace atto {

// What a part that the host brings along is known by; it enters the ids of runs that use it.
struct PartIdentity {
  std::string name, version;
  std::string hash;  // of its source and of the values it holds on to

  bool operator==(const PartIdentity&) const = default;
};

// A part that the host brought along has failed. The run, and all runs of its cell, end with it; others go on.
class PartFailure : public Error {
 public:
  PartFailure(const std::string& part, const std::string& message, std::string details)
      : Error(ErrorKind::config, part + ": " + message), part_(part), details_(std::move(details)) {}

  const std::string& part() const { return part_; }
  const std::string& details() const { return details_; }  // all that the host knows: a traceback

 private:
  std::string part_, details_;
};

// What a caller gets whose call is not answered any more, because the host wants everything to end.
struct HostStopped : std::exception {
  const char* what() const noexcept override { return "the host does not answer any more"; }
};

// Thrown inside of a call that the host's user interrupted: the caller gets HostStopped, and serve() throws the cause.
struct HostInterrupt {
  std::exception_ptr cause;
};

class HostCalls {
 public:
  using Call = std::function<void()>;

  // Becomes ready when the host has made the call; what it threw is thrown again by get(). Outside of open() and
  // close() the call is made at once, on this thread: nobody else would.
  std::future<void> post(Call call);
  void make(Call call) { post(std::move(call)).get(); }

  // From now on calls wait for serve().
  void open();
  // Makes the calls that wait, or waits for some, for about so long; returns early when it was closed. Throws the cause
  // of a HostInterrupt.
  void serve(std::chrono::duration<double> time);
  // Calls that wait, and all later ones, get HostStopped.
  void refuse();
  // No thread is left that could post.
  void close();

 private:
  enum class State { here, posted, refused };
  struct Posted {
    Call call;
    std::promise<void> answer;
  };

  std::mutex mutex_;  // guards what follows
  std::condition_variable change_;
  State state_ = State::here;
  std::deque<Posted> posted_;
};

}  // namespace atto
