// Threads that stay between calls. Starting one takes as long as several training steps of a small network; a team that
// has just worked is back at work in a microsecond.
#pragma once

#include <functional>
#include <memory>

namespace atto {

class ThreadTeam {
 public:
  // The calling thread is a member, so the team starts one thread fewer; they start with the first work.
  // Error(resources) where the system has none left.
  explicit ThreadTeam(int members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Every member calls `work` with its number, which stays; the calling thread has 0. Returns when all are back, and
  // throws what the first of them threw. Where the calling thread has to wait for the others it calls `meanwhile` every
  // few milliseconds, which must not throw. One caller at a time.
  void work_together(const std::function<void(int member)>& work, const std::function<void()>& meanwhile = {});

 private:
  class Members;

  int others_;
  std::unique_ptr<Members> members_;
};

}  // namespace atto
