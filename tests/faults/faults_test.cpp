// The n-th allocation of the program fails, or its n-th call for a file, for many n: each time a clear error or a
// finished job, never a wrong or lost result. `make soak` tries the n of every call, the tests some of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "../places.h"  // the folder of the tests has a program.h of its own
#include "app/program.h"
#include "lab/store/check/check.h"
#include "lab/store/store.h"
#include "plan.h"

namespace atto::faults {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Ended {
  int code = 0;       // or minus the signal
  int64_t calls = 0;  // that were counted
  std::string said;   // on standard error
};

class FaultsFolder : public testing::Test {
 protected:
  FaultsFolder() {
    folder_ = fs::path(testing::TempDir()) / ("faults." + std::to_string(getpid()));
    shared_ = static_cast<int64_t*>(
        mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    make_folder();
  }
  ~FaultsFolder() override {
    munmap(shared_, sizeof(int64_t));
    fs::remove_all(folder_);
  }
  void make_folder() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::copy_file(in_source("tests/stores/tiny.toml"), folder_ / "tiny.toml");
  }

  // The program, in a process of its own, in which one call fails.
  Ended atto(std::vector<const char*> words, Fault fault = Fault::none, int64_t fail_at = 0,
             bool clock_jumps = false) const {
    words.insert(words.begin(), "atto");
    *shared_ = 0;
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(98);
      dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      if (clock_jumps) {
        let_clock_jump();
        using Wall = std::chrono::system_clock;  // whoever asks it sees the jumps
        const auto one = Wall::now(), other = Wall::now();
        if (std::chrono::abs(one - other) < std::chrono::years(1)) _exit(97);
      }
      arm(fault, fail_at);
      const int code = run_program(static_cast<int>(words.size()), words.data());
      *shared_ = disarm();
      _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), *shared_, bytes_of(folder_ / "err")};
  }
  // Ended well, or with an error that says what to do. An internal error (1) or a signal is neither.
  static void expect_clear(const Ended& ended) {
    EXPECT_TRUE(ended.code == 0 || (ended.code >= 2 && ended.code <= 6)) << ended.code << ": " << ended.said;
    if (ended.code == 0) return;
    EXPECT_NE(ended.said.find("error: "), std::string::npos) << ended.code << ": " << ended.said;
    EXPECT_NE(ended.said.find("→"), std::string::npos) << ended.said;
  }
  // Which calls of `count` to let fail.
  static std::vector<int64_t> places(int64_t count) {
    const bool soak = std::getenv("ATTO_SOAK") != nullptr;
    const int64_t first = std::min<int64_t>(count, 2000);  // each of these, or some of them
    const int64_t others = soak ? 500 : 15;
    std::vector<int64_t> all;
    for (int64_t at = 1; at <= first; at += soak ? 1 : 1 + first / 25) all.push_back(at);
    for (int64_t i = 1; i <= others && count > first; ++i) all.push_back(first + (count - first) * i / others);
    return all;
  }

  fs::path folder_;
  int64_t* shared_;
};

class FaultsTest : public FaultsFolder, public testing::WithParamInterface<Fault> {};

const std::vector<const char*> kRun = {"run", "tiny.toml", "--store", "store.db", "--threads", "1"};

TEST_P(FaultsTest, TrainingLosesNothing) {
  const Ended whole = atto(kRun, GetParam());
  ASSERT_EQ(whole.code, 0) << whole.said;
  const std::string path = (folder_ / "store.db").string(), digest = Store(path, Store::Mode::read).content_digest();
  int errors = 0, tries = 0;
  for (const int64_t at : places(whole.calls)) {
    SCOPED_TRACE("call " + std::to_string(at) + " of " + std::to_string(whole.calls));
    make_folder();
    const Ended ended = atto(kRun, GetParam(), at);
    expect_clear(ended);
    ++tries;
    errors += ended.code == 0 ? 0 : 1;
    if (ended.code == 0) {
      EXPECT_EQ(Store(path, Store::Mode::read).content_digest(), digest);
    }
    if (fs::exists(path) && fs::file_size(path) > 0) {
      EXPECT_TRUE(check_store(path).whole());
    }
    // Running it again goes on with what is there, to the same bytes.
    const Ended again = atto(kRun);
    EXPECT_EQ(again.code, 0) << again.said;
    EXPECT_EQ(Store(path, Store::Mode::read).content_digest(), digest);
    if (HasFailure()) break;
  }
  std::cout << tries << " of " << whole.calls << " calls that failed: " << errors << " errors, " << tries - errors
            << " finished\n";
  EXPECT_GT(errors, 5) << "the failures did reach what matters";
}

// Files that are written are whole or as they were.
TEST_P(FaultsTest, FilesAreWholeOrAsTheyWere) {
  ASSERT_EQ(atto(kRun).code, 0);
  const std::vector<std::pair<std::vector<const char*>, std::string>> jobs = {
      {{"report", "tiny.toml", "--store", "store.db", "--output", "made/report.html"}, "made/report.html"},
      {{"export", "tiny.toml", "--store", "store.db", "--output", "made"}, ""},
      {{"export", "tiny.toml", "--store", "store.db", "--format", "parquet", "--output", "made"}, ""},
  };
  int errors = 0, tries = 0;
  for (const auto& [words, target] : jobs) {
    fs::remove_all(folder_ / "made");
    const Ended whole = atto(words, GetParam());
    ASSERT_EQ(whole.code, 0) << whole.said;
    const auto made = [&] {
      std::map<std::string, std::string> files;
      for (const auto& entry : fs::recursive_directory_iterator(folder_ / "made"))
        if (entry.is_regular_file()) files[entry.path().string()] = bytes_of(entry.path());
      return files;
    };
    const std::map<std::string, std::string> right = made();
    ASSERT_FALSE(right.empty());
    for (const int64_t at : places(whole.calls)) {
      SCOPED_TRACE(std::string(words[0]) + ", call " + std::to_string(at) + " of " + std::to_string(whole.calls));
      fs::remove_all(folder_ / "made");
      fs::create_directories(folder_ / "made");
      for (const auto& [name, bytes] : right) {
        fs::create_directories(fs::path(name).parent_path());
        std::ofstream(name) << "old";
      }
      const Ended ended = atto(words, GetParam(), at);
      expect_clear(ended);
      ++tries;
      errors += ended.code == 0 ? 0 : 1;
      for (const auto& [name, bytes] : made()) {
        ASSERT_TRUE(right.contains(name)) << "left behind: " << name;
        EXPECT_TRUE(bytes == right.at(name) || (ended.code != 0 && bytes == "old")) << name;
      }
      if (HasFailure()) return;
    }
  }
  std::cout << tries << " calls that failed: " << errors << " errors, " << tries - errors << " finished\n";
  EXPECT_GT(errors, 5) << "the failures did reach what matters";
}

// Somebody sets the clock while a study is trained: it takes as long as it takes, to the same bytes.
using ClockTest = FaultsFolder;
TEST_F(ClockTest, JumpsChangeNothing) {
  ASSERT_EQ(atto(kRun).code, 0);
  const std::string path = (folder_ / "store.db").string(), digest = Store(path, Store::Mode::read).content_digest();
  make_folder();
  const Ended ended = atto(kRun, Fault::none, 0, true);
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_EQ(Store(path, Store::Mode::read).content_digest(), digest);
  for (const RunSummary& run : Store(path, Store::Mode::read).runs()) {
    EXPECT_GE(run.seconds, 0);
    EXPECT_LT(run.seconds, 3600);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FaultsTest, testing::Values(Fault::allocation, Fault::file_call),
                         [](const auto& fault) { return fault.param == Fault::allocation ? "Allocations" : "Files"; });

}  // namespace
}  // namespace atto::faults
