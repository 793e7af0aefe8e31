#include "base/thread_team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace atto {
namespace {

TEST(ThreadTeam, EveryMemberWorksAndTheCallerIsOne) {
  ThreadTeam team(4);
  std::mutex mutex;
  std::map<int, std::thread::id> first;
  for (int round = 0; round < 100; ++round) {
    std::map<int, std::thread::id> seen;
    team.work_together([&](int member) {
      const std::lock_guard lock(mutex);
      seen[member] = std::this_thread::get_id();
    });
    EXPECT_EQ(seen.at(0), std::this_thread::get_id());
    EXPECT_EQ(seen.size(), 4U);
    EXPECT_EQ(seen.rbegin()->first, 3);
    if (round == 0) first = seen;
    EXPECT_EQ(seen, first);  // the threads stay, each with its number
  }
}

TEST(ThreadTeam, OfOneStartsNoThread) {
  ThreadTeam team(1);
  std::thread::id worked;
  team.work_together([&](int member) {
    EXPECT_EQ(member, 0);
    worked = std::this_thread::get_id();
  });
  EXPECT_EQ(worked, std::this_thread::get_id());
}

TEST(ThreadTeam, ThrowsWhatAMemberThrewOnceAllAreBack) {
  ThreadTeam team(3);
  std::atomic<int> worked = 0;
  for (const bool caller_fails : {true, false})
    EXPECT_THROW(team.work_together([&](int member) {
      ++worked;
      if ((member == 0) == caller_fails) throw std::runtime_error("failed");
    }),
                 std::runtime_error);
  EXPECT_EQ(worked, 6);
  team.work_together([&](int) { ++worked; });  // and goes on
  EXPECT_EQ(worked, 9);
}

// The others wait for what only `meanwhile` does, and the caller has nothing to do.
TEST(ThreadTeam, CallsMeanwhileWhileOthersAreAway) {
  ThreadTeam team(2);
  std::atomic<bool> looked = false;
  team.work_together(
      [&](int member) {
        if (member != 0) looked.wait(false);
      },
      [&] {
        looked = true;
        looked.notify_all();
      });
  EXPECT_TRUE(looked);
}

// A forked process has none of its parent's threads; neither work nor the destructor may wait for them.
TEST(ThreadTeam, StartsAnewInAForkedProcess) {
  ThreadTeam team(3);
  std::atomic<int> worked = 0;
  team.work_together([&](int) { ++worked; });
  const pid_t child = fork();
  if (child == 0) {
    bool right = false;
    {
      ThreadTeam own(2);
      own.work_together([](int) {});
      team.work_together([&](int) { ++worked; });
      right = worked == 6;
    }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  team.work_together([&](int) { ++worked; });
  EXPECT_EQ(worked, 6);
}

}  // namespace
}  // namespace atto
