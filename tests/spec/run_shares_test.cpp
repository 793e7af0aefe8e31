#include "spec/run_shares.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace atto {
namespace {

// Threads that take `pace` units of time a step, each at its own; what they did with the runs.
struct Simulated {
  std::vector<int64_t> at;           // where the runs stand in the end
  std::vector<int64_t> busy;         // units of time that each thread worked
  std::vector<std::set<size_t>> by;  // the runs that each thread moved
};

Simulated simulate(std::vector<int64_t> at, int64_t target, int64_t stage, const std::vector<int64_t>& pace) {
  const size_t threads = pace.size();
  RunShares shares(at, target, stage, static_cast<int>(threads));
  Simulated done{{}, std::vector<int64_t>(threads), std::vector<std::set<size_t>>(threads)};
  std::vector<std::optional<RunShares::Part>> doing(threads);
  std::vector<int64_t> free_at(threads, 0);
  std::set<size_t> working, moving;
  for (size_t i = 0; i < threads; ++i) working.insert(i);
  while (!working.empty()) {
    const size_t thread =
        *std::min_element(working.begin(), working.end(), [&](size_t a, size_t b) { return free_at[a] < free_at[b]; });
    std::optional<size_t> mine;
    if (doing[thread]) {
      mine = doing[thread]->run;
      at[*mine] = std::max(at[*mine], doing[thread]->to);
      moving.erase(*mine);
    }
    doing[thread] = shares.next(static_cast<int>(thread), mine);
    if (!doing[thread]) {
      working.erase(thread);
      continue;
    }
    const auto [run, to] = *doing[thread];
    EXPECT_TRUE(moving.insert(run).second) << "two threads have run " << run;
    const int64_t steps = std::max<int64_t>(to - at[run], 0);
    if (steps > 0) done.by[thread].insert(run);
    free_at[thread] += steps * pace[thread];
    done.busy[thread] += steps * pace[thread];
  }
  done.at = at;
  return done;
}

TEST(RunShares, KeepsRunsOnTheirThreadsWhereTheyCanBeDivided) {
  const Simulated done = simulate({0, 0, 0, 0}, 10, 256, {1, 1});
  EXPECT_EQ(done.by, (std::vector<std::set<size_t>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(done.busy, (std::vector<int64_t>{20, 20}));
}

TEST(RunShares, CutsARunThatTheThreadsCannotShareOtherwise) {
  const Simulated done = simulate({0, 0, 0, 0, 0}, 10, 256, {1, 1});
  EXPECT_EQ(done.by, (std::vector<std::set<size_t>>{{0, 1, 2}, {2, 3, 4}}));
  EXPECT_EQ(done.busy, (std::vector<int64_t>{25, 25}));
}

// Alone, the slow thread would need 6,000 units for its half. It keeps the run that it is at.
TEST(RunShares, LetsFastThreadsTakeOverWhatWaits) {
  const Simulated done = simulate({0, 0, 0, 0}, 1000, 100, {1, 3});
  EXPECT_EQ(done.at, std::vector<int64_t>(4, 1000));
  EXPECT_EQ(done.by[0], (std::set<size_t>{0, 1, 3}));
  EXPECT_LT(done.busy[1], 4000);
}

// The steps of all runs up to `target`, and those of the longest run.
struct Work {
  int64_t all = 0, longest = 0;
};

Work work_of(const std::vector<int64_t>& at, int64_t target) {
  Work work;
  for (const int64_t step : at) {
    work.all += std::max<int64_t>(target - step, 0);
    work.longest = std::max(work.longest, target - step);
  }
  return work;
}

// No thread is idle while a run waits, which bounds the time as for every such rule (Graham): T threads need at most
// 1/T of all steps and (T - 1)/T of the longest run. The best plan may take less. Runs at 21, 1, 24 and 22 could be at
// 30 after 29 units; but thread 0 comes to the second one in the moment in which thread 1 still has it, takes over the
// last one instead, and the second one waits until thread 1 is done with its own: 35 units.
RC_GTEST_PROP(RunShares, MoveEveryRunToItsTargetAndLeaveNoThreadIdle, ()) {
  const auto runs = *rc::gen::inRange<size_t>(1, 20);
  const auto at = *rc::gen::container<std::vector<int64_t>>(runs, rc::gen::inRange<int64_t>(0, 30));
  const auto threads = *rc::gen::inRange<size_t>(1, 7);
  const auto stage = *rc::gen::inRange<int64_t>(1, 60);
  const int64_t target = *rc::gen::inRange<int64_t>(0, 50);
  const auto pace = *rc::gen::container<std::vector<int64_t>>(threads, rc::gen::inRange<int64_t>(1, 4));

  const Simulated any = simulate(at, target, stage, pace);
  for (size_t run = 0; run < runs; ++run) RC_ASSERT(any.at[run] == std::max(at[run], target));

  const Simulated alike = simulate(at, target, 60, std::vector<int64_t>(threads, 1));
  const auto [all, longest] = work_of(at, target);
  const auto each = static_cast<int64_t>(threads);
  RC_ASSERT(*std::max_element(alike.busy.begin(), alike.busy.end()) * each <= all + (each - 1) * longest);
}

// The best there is: where runs stand alike and the steps can be divided, nobody is done before the others, so nobody
// takes anything over.
RC_GTEST_PROP(RunShares, RunsThatStandAlikeEndTogether, ()) {
  const auto threads = *rc::gen::inRange<size_t>(1, 7);
  const auto runs = threads + *rc::gen::inRange<size_t>(0, 20);
  const auto from = *rc::gen::inRange<int64_t>(0, 30);
  const auto each = static_cast<int64_t>(threads);
  const int64_t steps = each * *rc::gen::inRange<int64_t>(1, 10);
  const int64_t stage = each * *rc::gen::inRange<int64_t>(1, 10);
  const std::vector<int64_t> pace(threads, 1);
  const Simulated done = simulate(std::vector<int64_t>(runs, from), from + steps, stage, pace);
  RC_ASSERT(done.busy == std::vector<int64_t>(threads, steps / each * static_cast<int64_t>(runs)));
}

}  // namespace
}  // namespace atto
