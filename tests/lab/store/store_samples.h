// What the tests of the store, the scheduler and the results share: a folder of their own, recordings, child processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/read_file.h"
#include "lab/store/store.h"

namespace atto {

// A fresh folder for each test, gone when it ends.
class StoreFolder : public testing::Test {
 protected:
  StoreFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string(test->test_suite_name()) + "." + test->name() + "." + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~StoreFolder() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "runs.atto") const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

// Nothing of a file that is not there.
inline std::string bytes_of(const std::string& path) { return read_file(path).value_or(""); }

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // some file systems wait for the disk when a file is overwritten
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A recording that depends on `number` only, with what is awkward to keep.
inline Recording sample_recording(int64_t number) {
  const auto base = static_cast<double>(number);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Recording recording;
  recording.steps_done = 100 + number;
  if (number % 3 == 0) recording.diverged_at = 99;
  recording.stopped_early = number % 2 == 1;
  if (number % 2 == 0) recording.best_loss = 0.1 * base;
  recording.series.push_back({"perplexity", {}, {0, 50, 100}, {base / 3, kInfinity, std::nan("")}});
  recording.series.push_back({"embedding", {4, 2}, {0, 100}, std::vector<double>(16, base + 0.5)});
  recording.series.push_back({"never", {}, {}, {}});
  recording.weights.push_back({"W_E", 4, 2, std::vector<float>(8, static_cast<float>(base) / 7)});
  recording.weights.push_back({"W_Q", 2, 2, {1, -2, static_cast<float>(base), -0.0f}});
  return recording;
}

inline std::string sample_id(int64_t number) { return "run" + std::to_string(number); }

inline FinishedRun sample_run(int64_t number) {
  return {sample_id(number),
          "{\"number\":" + std::to_string(number) + "}",
          number,
          2 * number,
          sample_recording(number),
          0.25};
}

inline void save_sample(Store& store, int64_t number) { store.save({sample_run(number)}); }

template <typename Number>
bool same_bits(const std::vector<Number>& a, const std::vector<Number>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0);
}

inline bool same_bits(const Series& a, const Series& b) {
  return a.address == b.address && a.shape == b.shape && a.steps == b.steps && same_bits(a.values, b.values);
}

inline bool same_bits(const Recording& a, const Recording& b) {
  const auto same_series = [](const Series& x, const Series& y) { return same_bits(x, y); };
  const auto same_weights = [](const WeightMatrix& x, const WeightMatrix& y) {
    return x.name == y.name && x.rows == y.rows && x.columns == y.columns && same_bits(x.values, y.values);
  };
  return a.steps_done == b.steps_done && a.diverged_at == b.diverged_at && a.stopped_early == b.stopped_early &&
         a.best_loss == b.best_loss &&
         std::equal(a.series.begin(), a.series.end(), b.series.begin(), b.series.end(), same_series) &&
         std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(), same_weights);
}

inline Checkpoint sample_checkpoint(int64_t step) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto base = static_cast<double>(step);
  return {{step, 3, {1.5f, -0.0f, static_cast<float>(base) / 3}, {1e-45f}, {base / 7, -0.0}},
          {std::nan(""), kInfinity, base / 11}};
}

inline bool same_bits(const Checkpoint& a, const Checkpoint& b) {
  const Snapshot &x = a.snapshot, &y = b.snapshot;
  return x.step == y.step && x.calm_steps == y.calm_steps && same_bits(x.parameters, y.parameters) &&
         same_bits(x.optimizer, y.optimizer) && same_bits(x.extra, y.extra) && same_bits(a.measured, b.measured);
}

// The error `work` ends with; fails the test when it ends well.
template <typename Work>
Error error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an error";
  return Error(ErrorKind::internal, "there was no error");
}

// Runs `work` in a child process, which ends without any clean-up, and returns its exit code, or minus the signal.
template <typename Work>
int in_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(work());
    } catch (...) {
      _exit(99);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace atto
