// Runs the built program as people do: arguments in, output and exit code out, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace atto::test {

using Json = nlohmann::json;

struct Outcome {
  int code = -1;  // exit code, or 128 + the signal that ended it
  std::string out, err;
};

// A fresh folder with studies/tiny.toml and studies/map.toml; removed at the end.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  void write(const std::string& file, const std::string& text) const;  // relative to the folder
  std::string read(const std::string& file) const;

  Outcome atto(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const;
  // Standard output is a terminal of 80 columns.
  std::string atto_on_terminal(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment = {}) const;
  // Everything is that terminal, where somebody has typed `answer`. What was on it, the answer included.
  Outcome atto_answered(const std::vector<std::string>& arguments, const std::string& answer) const;
  // Sends `signals` once standard error shows `line`; the outcome's `err` starts with what was read until then.
  Outcome atto_until(const std::vector<std::string>& arguments, const std::string& line,
                     const std::vector<int>& signals) const;

  // Kills the program (SIGKILL) once `now` says so; the exit code.
  int atto_killed_when(const std::vector<std::string>& arguments, const std::function<bool()>& now) const;

  // Standard output as JSON; fails the test when the program failed.
  Json atto_json(const std::vector<std::string>& arguments) const;

  std::filesystem::path folder_;

 private:
  pid_t start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, int out, int err,
              int in = -1) const;
};

}  // namespace atto::test
