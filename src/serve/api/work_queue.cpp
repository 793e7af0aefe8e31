#include "serve/api/work_queue.h"

namespace atto {

WorkQueue::WorkQueue(size_t threads, size_t most_waiting) : most_waiting_(most_waiting) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkQueue::~WorkQueue() { stop(); }

bool WorkQueue::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(work));
  changed_.notify_one();
  return true;
}

void WorkQueue::stop() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
    changed_.notify_all();
  }
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void WorkQueue::work() {
  while (true) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
}

}  // namespace atto
