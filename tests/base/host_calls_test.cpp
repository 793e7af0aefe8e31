#include "base/host_calls.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace atto {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 600s;  // that no test waits for

TEST(HostCalls, AreMadeAtOnceWhereNobodyServes) {
  HostCalls calls;
  std::thread::id by;
  calls.make([&] { by = std::this_thread::get_id(); });
  EXPECT_EQ(by, std::this_thread::get_id());
  EXPECT_THROW(calls.make([] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(HostCalls, AreMadeByTheThreadThatServes) {
  HostCalls calls;
  calls.open();
  std::vector<std::thread::id> by;
  std::vector<int> answers(4);
  std::vector<std::jthread> workers;
  std::atomic<int> left = 4;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round)
        calls.make([&] {
          by.push_back(std::this_thread::get_id());  // one at a time
          answers[static_cast<size_t>(i)] += i;
        });
      if (--left == 0) calls.close();
    });
  while (left > 0) calls.serve(kLong);
  workers.clear();
  ASSERT_EQ(by.size(), 400u);
  for (const std::thread::id& one : by) EXPECT_EQ(one, std::this_thread::get_id());
  EXPECT_EQ(answers, (std::vector{0, 100, 200, 300}));
}

TEST(HostCalls, HandFailuresToWhoAsked) {
  HostCalls calls;
  calls.open();
  std::future<void> failing = calls.post([] { throw PartFailure("part", "broken", "line 1"); });
  std::future<void> fine = calls.post([] {});
  calls.serve(0s);
  calls.serve(0s);
  EXPECT_NO_THROW(fine.get());
  try {
    failing.get();
    FAIL();
  } catch (const PartFailure& failure) {
    EXPECT_STREQ(failure.what(), "part: broken");
    EXPECT_EQ(failure.details(), "line 1");
  }
}

TEST(HostCalls, AreRefusedWhenTheHostGivesUp) {
  HostCalls calls;
  calls.open();
  std::future<void> waiting = calls.post([] { FAIL(); });
  calls.refuse();
  EXPECT_THROW(waiting.get(), HostStopped);
  EXPECT_THROW(calls.make([] { FAIL(); }), HostStopped);
  calls.close();
  EXPECT_NO_THROW(calls.make([] {}));
}

TEST(HostCalls, AnInterruptEndsTheServingAndTheCall) {
  HostCalls calls;
  calls.open();
  const auto interrupt = [] { throw HostInterrupt{std::make_exception_ptr(std::domain_error("Ctrl-C"))}; };
  std::future<void> interrupted = calls.post(interrupt);
  std::future<void> next = calls.post([] {});
  EXPECT_THROW(calls.serve(kLong), std::domain_error);
  EXPECT_THROW(interrupted.get(), HostStopped);
  calls.serve(0s);
  EXPECT_NO_THROW(next.get());
  calls.close();
  EXPECT_THROW(calls.post(interrupt), std::domain_error);
}

TEST(HostCalls, ClosingEndsTheWait) {
  HostCalls calls;
  calls.open();
  const std::jthread other([&] { calls.close(); });
  calls.serve(kLong);
}

}  // namespace
}  // namespace atto
