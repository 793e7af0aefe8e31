// Another program run to its end, with a limit on how long that may take.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace atto {

// Is there a program of that name in a folder of $PATH?
bool is_on_path(const std::string& name);

struct ChildOutput {
  enum class Outcome { ended, failed, killed };
  Outcome outcome = Outcome::failed;  // ended: by itself, with exit code 0
  std::string out;                    // its standard output
  std::string last_words;             // the last line of its standard error
};

// Runs the command (found on $PATH unless it is a path). What it prints goes to the files `out` and `err` of `folder`
// first: no pipe can fill up, and what it leaves running holds nothing open. After `patience`, or once `stop` is set,
// it is killed with all it started.
ChildOutput run_child(const std::vector<std::string>& words, const std::filesystem::path& folder,
                      std::chrono::seconds patience, const std::atomic<bool>& stop);

}  // namespace atto
