#include "app/render/child.h"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"

namespace atto {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  std::array<int, 2> ends{-1, -1};

  Pipe() {
    if (pipe(ends.data()) != 0) throw Error(ErrorKind::resources, "no pipe to another program could be made");
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writing() { close(std::exchange(ends[1], -1)); }
};

// The child in a process group of its own, so that what it starts can be ended with it.
std::optional<pid_t> start(std::vector<std::string> words, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  for (const Pipe* pipe : {&out, &err})
    for (const int end : pipe->ends) posix_spawn_file_actions_addclose(&actions, end);
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

// Reads both pipes until the child has ended; what it left running may hold them open for longer. False when `enough`
// says so first.
template <class Enough>
bool drain(pid_t child, const Pipe& out, const Pipe& err, Enough enough, std::string& printed, std::string& complaints,
           int& status) {
  constexpr int kLook = 50;  // milliseconds between two looks at whether the child has ended
  std::array<char, 65536> buffer{};
  while (true) {
    const bool over = waitpid(child, &status, WNOHANG) == child;
    std::array<pollfd, 2> waiting{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    while (poll(waiting.data(), waiting.size(), over ? 0 : kLook) > 0) {
      bool more = false;
      for (size_t i = 0; i < waiting.size(); ++i) {
        if ((waiting[i].revents & (POLLIN | POLLHUP)) == 0) continue;
        const ssize_t count = read(waiting[i].fd, buffer.data(), buffer.size());
        if (count <= 0) waiting[i].fd = -1;  // closed: poll passes over it
        else (i == 0 ? printed : complaints).append(buffer.data(), static_cast<size_t>(count));
        more = more || count > 0;
      }
      if (!more || enough()) break;
    }
    if (over) return true;
    if (enough()) return false;
    if (waiting[0].fd < 0 && waiting[1].fd < 0) usleep(kLook * 1000);  // both closed: only its end is waited for
  }
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
    if (access((std::filesystem::path(folders.substr(from, to - from)) / name).c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

ChildOutput run_child(const std::vector<std::string>& words, std::chrono::seconds patience,
                      const std::atomic<bool>& stop) {
  Pipe out, err;
  const std::optional<pid_t> child = start(words, out, err);
  out.close_writing();
  err.close_writing();
  ChildOutput result;
  if (!child) return result;
  std::string complaints;
  int status = 0;
  const Clock::time_point deadline = Clock::now() + patience;
  const auto enough = [&] { return stop || Clock::now() > deadline; };
  const bool ended = drain(*child, out, err, enough, result.out, complaints, status);
  kill(-*child, SIGKILL);  // whatever of the group is left
  if (!ended) waitpid(*child, &status, 0);
  result.last_words = last_line(complaints);
  const bool well = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.outcome = well    ? ChildOutput::Outcome::ended
                   : ended ? ChildOutput::Outcome::failed
                           : ChildOutput::Outcome::killed;
  return result;
}

}  // namespace atto
