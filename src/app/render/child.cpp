#include "app/render/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

namespace atto {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// The child in a process group of its own, so that what it starts can be ended with it.
std::optional<pid_t> start(std::vector<std::string> words, const fs::path& out, const fs::path& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto write_to = [&](int descriptor, const fs::path& file) {
    posix_spawn_file_actions_addopen(&actions, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  write_to(STDOUT_FILENO, out);
  write_to(STDERR_FILENO, err);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? std::optional(child) : std::nullopt;
}

// The child's status once it has ended, or nothing when `stop` or the deadline comes first.
std::optional<int> wait_for(pid_t child, Clock::time_point deadline, const std::atomic<bool>& stop) {
  constexpr std::chrono::milliseconds kLook{20};
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (stop || Clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(kLook);
  }
  return status;
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

bool is_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (size_t from = 0; from < folders.size();) {
    const size_t to = std::min(folders.find(':', from), folders.size());
    if (access((fs::path(folders.substr(from, to - from)) / name).c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

ChildOutput run_child(const std::vector<std::string>& words, const fs::path& folder, std::chrono::seconds patience,
                      const std::atomic<bool>& stop) {
  using enum ChildOutput::Outcome;
  const fs::path out = folder / "out", err = folder / "err";
  ChildOutput result;
  const std::optional<pid_t> child = start(words, out, err);
  if (!child) return result;
  const std::optional<int> status = wait_for(*child, Clock::now() + patience, stop);
  kill(-*child, SIGKILL);  // whatever of the group is left
  if (!status) waitpid(*child, nullptr, 0);
  result.out = contents(out);
  result.last_words = last_line(contents(err));
  const bool well = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
  result.outcome = well ? ended : status ? failed : killed;
  return result;
}

}  // namespace atto
