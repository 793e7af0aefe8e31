// Much of everything: runs, openings, readers and writers at once. `make soak` takes half a million runs and two
// thousand openings and looks at the memory; the tests take fewer.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <numeric>

#include "lab/store/store_samples.h"

namespace atto::load_test {
namespace {

using Mode = Store::Mode;

bool soak() { return std::getenv("ATTO_SOAK") != nullptr; }

size_t resident_bytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd"), end;
  return static_cast<size_t>(std::distance(files, end));
}

FinishedRun small_run(int64_t number) {
  // So long that a tenth of all runs is more than the pages that a writer keeps in memory (page_cache.cpp).
  constexpr size_t kMeasurements = 100;
  Recording recording;
  recording.steps_done = number;
  std::vector<int64_t> steps(kMeasurements);
  std::iota(steps.begin(), steps.end(), int64_t{0});
  recording.series.push_back(
      {"perplexity", {}, std::move(steps), std::vector<double>(kMeasurements, static_cast<double>(number))});
  return {sample_id(number), "{}", number, number, std::move(recording), 0.25};
}

void save_batch(Store& store, int64_t first, int64_t count) {
  std::vector<FinishedRun> runs;
  for (int64_t number = first; number < first + count; ++number) runs.push_back(small_run(number));
  store.save(runs);
}

class StoreLoadTest : public StoreFolder {};

TEST_F(StoreLoadTest, ManyRunsTakeNoMoreMemory) {
  const int64_t batch = 250, runs = soak() ? 500'000 : 5'000;
  Store store(path(), Mode::write);
  size_t warm = 0, files = 0, most = 0;
  for (int64_t number = 0; number < runs; number += batch) {
    save_batch(store, number, batch);
    EXPECT_TRUE(same_bits(store.load(sample_id(number / 2)), small_run(number / 2).recording));
    size_t& peak = number < runs / 10 ? warm : most;  // a peak is compared with a peak
    peak = std::max(peak, resident_bytes());
    if (number < runs / 10) files = open_files();
    ASSERT_EQ(open_files(), number < runs / 10 ? open_files() : files);
  }
  std::cout << runs << " runs: at most " << warm / 1'000 << " kB for a tenth of them, " << most / 1'000
            << " kB for the others\n";
  if (soak()) {
    EXPECT_LT(static_cast<double>(most), 1.05 * static_cast<double>(warm));
  }
}

TEST_F(StoreLoadTest, OpeningsLeaveNothingBehind) {
  { save_batch(*std::make_unique<Store>(path(), Mode::write), 0, 500); }
  const int openings = soak() ? 2'000 : 60;
  size_t warm = 0, most = 0;
  const size_t files = open_files();
  for (int i = 0; i < openings; ++i) {
    {
      Store store(path(), i % 4 == 0 ? Mode::write : Mode::read);
      EXPECT_TRUE(store.has(sample_id(i % 500)));
      if (i % 4 == 0) save_batch(store, 1000 + i, 1);
    }
    EXPECT_THROW(Store(path("absent.db"), Mode::read), Error);
    ASSERT_EQ(open_files(), files);
    size_t& peak = i < openings / 10 ? warm : most;
    peak = std::max(peak, resident_bytes());
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "no process is left";
  std::cout << openings << " openings: at most " << warm / 1'000 << " kB for a tenth of them, " << most / 1'000
            << " kB for the others\n";
  if (soak()) {
    EXPECT_LT(static_cast<double>(most), 1.05 * static_cast<double>(warm));
  }
}

// One writes; others read whole runs and ever more of them, and a second writer is told of the first.
TEST_F(StoreLoadTest, ReadersAndASecondWriterWhileOneWrites) {
  const int readings = soak() ? 100 : 30;
  int ready[2], over[2];
  ASSERT_EQ(pipe(ready) + pipe(over), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    try {
      Store store(path(), Mode::write);
      char mark = 'r';
      save_batch(store, 0, 10);
      if (write(ready[1], &mark, 1) != 1) _exit(3);
      int64_t number = 10;
      // Until nobody reads any more: a byte waits then.
      fd_set waiting;
      for (;; number += 10) {
        save_batch(store, number, 10);
        FD_ZERO(&waiting);
        FD_SET(over[0], &waiting);
        timeval now{0, 0};
        if (select(over[0] + 1, &waiting, nullptr, nullptr, &now) > 0) break;
      }
      if (write(ready[1], &number, sizeof number) != sizeof number) _exit(4);
    } catch (...) {
      _exit(2);
    }
    _exit(0);
  }
  char mark = 0;
  ASSERT_EQ(read(ready[0], &mark, 1), 1);
  size_t seen = 10;
  for (int i = 0; i < readings; ++i) {
    const Store store(path(), Mode::read);
    const std::vector<RunSummary> runs = store.runs();
    EXPECT_GE(runs.size(), seen);
    EXPECT_EQ(runs.size() % 10, 0u) << "runs that are saved together appear together";
    seen = runs.size();
    const RunSummary& one = runs[static_cast<size_t>(i) * 7919 % seen];
    EXPECT_TRUE(same_bits(store.load(one.id), small_run(one.init_seed).recording));
    const Error refused = error_of([&] { Store(path(), Mode::write); });
    EXPECT_EQ(refused.kind(), ErrorKind::store);
    EXPECT_NE(std::string(refused.what()).find("another atto is writing"), std::string::npos) << refused.what();
  }
  ASSERT_EQ(write(over[1], &mark, 1), 1);
  int64_t last = 0;
  ASSERT_EQ(read(ready[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int end : {ready[0], ready[1], over[0], over[1]}) close(end);
  EXPECT_EQ(Store(path(), Mode::write).runs().size(), static_cast<size_t>(last + 10));
}

}  // namespace
}  // namespace atto::load_test
