#include "base/thread_team.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

namespace atto {
namespace {

// A thread looks for its next work for so long before it sleeps: calls in a loop come faster. To be woken takes tens of
// microseconds, on a virtual machine a hundred, and whoever begins so late lets the others wait at the end. So this is
// several times as long, or one that has slept would put the others to sleep.
constexpr auto kAwake = std::chrono::microseconds(300);
constexpr auto kBetweenCalls = std::chrono::milliseconds(20);  // of `meanwhile`

// Leaves the core's arithmetic to its other hardware thread.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Whether it has come true before it is time to sleep.
bool comes_soon(const auto& condition) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

class ThreadTeam::Members {
 public:
  explicit Members(int count) {
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this, member = i + 1] { serve(member); });
    } catch (const std::system_error&) {
      end();
      throw Error(ErrorKind::resources, "cannot start " + std::to_string(count) + " threads", "ask for fewer threads");
    }
  }
  ~Members() { end(); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  // A forked process has the memory of its parent and none of its threads.
  bool here() const { return process_ == getpid(); }

  void work_together(const std::function<void(int)>& work, const std::function<void()>& meanwhile) {
    work_ = &work;
    failure_ = nullptr;
    away_ = threads_.size();
    begin_round();
    call(0);
    const auto back = [this] { return away_ == 0; };
    if (!comes_soon(back)) {
      std::unique_lock lock(mutex_);
      while (!came_back_.wait_for(lock, kBetweenCalls, back)) {
        lock.unlock();
        if (meanwhile) meanwhile();
        lock.lock();
      }
    }
    const std::lock_guard lock(mutex_);  // the last one has let go of it
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void begin_round() {
    ++round_;
    round_.notify_all();
  }
  void end() {
    over_ = true;
    begin_round();
    for (std::thread& one : threads_) one.join();
  }
  void call(int member) {
    try {
      (*work_)(member);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  void serve(int member) {
    for (uint32_t round = 0;; ++round) {
      if (!comes_soon([&] { return round_ != round; })) round_.wait(round);
      if (over_) return;
      call(member);
      const std::lock_guard lock(mutex_);
      if (--away_ == 0) came_back_.notify_one();
    }
  }

  const pid_t process_ = getpid();
  std::atomic<uint32_t> round_ = 0;
  std::atomic<bool> over_ = false;
  const std::function<void(int)>* work_ = nullptr;
  std::mutex mutex_;  // guards changes of what follows
  std::condition_variable came_back_;
  std::atomic<size_t> away_ = 0;  // members that have not come back from this round
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;  // the last member: they use the others
};

ThreadTeam::ThreadTeam(int members) : others_(members - 1) {}

ThreadTeam::~ThreadTeam() {
  if (members_ && !members_->here()) static_cast<void>(members_.release());  // nobody there to join
}

void ThreadTeam::work_together(const std::function<void(int member)>& work, const std::function<void()>& meanwhile) {
  if (others_ == 0) return work(0);
  if (members_ && !members_->here()) static_cast<void>(members_.release());
  if (!members_) members_ = std::make_unique<Members>(others_);
  members_->work_together(work, meanwhile);
}

}  // namespace atto
