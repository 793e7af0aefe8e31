// Another program, at work in a folder of its own; both are gone when this process is, however it ends.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace atto {

struct ProgramOutput {
  enum class Outcome { ended, failed, killed };
  Outcome outcome = Outcome::failed;  // ended: by itself, with exit code 0
  std::string out;                    // its standard output
  std::string last_words;             // the last line of its standard error
};

// A process of ours, the keeper, makes the folder, starts the program, and waits. When it hears that this object or
// this process is gone (the kernel closes the pipe between them, even after SIGKILL), it kills the program with all
// that it started and removes the folder. It is in a process group of its own, so that no key and no closed terminal
// ends it.
class KeptProgram {
 public:
  // The words of its command (found on $PATH unless it is a path), given the folder.
  using Command = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;

  explicit KeptProgram(const Command& command);  // makes the folder; Error(resources) when there is no place for it
  ~KeptProgram();
  KeptProgram(const KeptProgram&) = delete;
  KeptProgram& operator=(const KeptProgram&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  // Once. What the program prints goes to files of the folder first: no pipe can fill up, and what it leaves running
  // holds nothing open. After `patience`, or once `stop` is set, it is killed with all it started.
  ProgramOutput run(std::chrono::seconds patience, const std::atomic<bool>& stop);

 private:
  bool hire_keeper(const std::vector<std::string>& words);  // false: the folder exists already

  std::filesystem::path folder_;
  pid_t keeper_ = -1;
  int orders_ = -1, answers_ = -1;
};

}  // namespace atto
