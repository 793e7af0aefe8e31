// Answers that take time are made here, away from the thread that serves everybody.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace atto {

class WorkQueue {
 public:
  WorkQueue(size_t threads, size_t most_waiting);
  ~WorkQueue();  // as stop()

  bool add(std::function<void()> work);  // false: too much waits already, or it was stopped. It must not throw
  void stop();                           // what waits is dropped, what is being done is waited for

 private:
  void work();

  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
};

}  // namespace atto
