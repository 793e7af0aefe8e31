#include "base/host_calls.h"

namespace atto {

std::future<void> HostCalls::post(Call call) {
  Posted posted{std::move(call), {}};
  std::future<void> answer = posted.answer.get_future();
  std::unique_lock lock(mutex_);
  if (state_ == State::posted) {
    posted_.push_back(std::move(posted));
    change_.notify_all();
    return answer;
  }
  const bool refused = state_ == State::refused;
  lock.unlock();
  try {
    if (refused) throw HostStopped();
    posted.call();
    posted.answer.set_value();
  } catch (const HostInterrupt& interrupt) {
    std::rethrow_exception(interrupt.cause);  // this thread is the host's
  } catch (...) {
    posted.answer.set_exception(std::current_exception());
  }
  return answer;
}

void HostCalls::open() {
  const std::lock_guard lock(mutex_);
  state_ = State::posted;
}

void HostCalls::serve(std::chrono::duration<double> time) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  std::unique_lock lock(mutex_);
  do {
    const auto changed = [this] { return !posted_.empty() || state_ == State::here; };
    // To wait until a time that has passed is to sleep, too.
    if (!changed() && (Clock::now() >= end || !change_.wait_until(lock, end, changed))) return;
    if (posted_.empty()) return;
    Posted next = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    try {
      next.call();
      next.answer.set_value();
    } catch (const HostInterrupt& interrupt) {
      next.answer.set_exception(std::make_exception_ptr(HostStopped()));
      std::rethrow_exception(interrupt.cause);
    } catch (...) {
      next.answer.set_exception(std::current_exception());
    }
    lock.lock();
  } while (Clock::now() < end);
}

void HostCalls::refuse() {
  const std::lock_guard lock(mutex_);
  state_ = State::refused;
  for (Posted& one : posted_) one.answer.set_exception(std::make_exception_ptr(HostStopped()));
  posted_.clear();
}

void HostCalls::close() {
  const std::lock_guard lock(mutex_);
  state_ = State::here;
  for (Posted& one : posted_) one.answer.set_exception(std::make_exception_ptr(HostStopped()));  // nobody waits for it
  posted_.clear();
  change_.notify_all();
}

}  // namespace atto
