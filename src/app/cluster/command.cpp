#include "app/cluster/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "base/error.h"

extern char** environ;

namespace atto {
namespace {

// Somewhere in memory to print to: unlike a pipe it cannot fill up.
class Page {
 public:
  Page() : file_(memfd_create("atto", MFD_CLOEXEC)) {
    if (file_ < 0) throw Error(ErrorKind::resources, "cannot run another program: no memory for what it prints");
  }
  ~Page() { close(file_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  int descriptor() const { return file_; }
  std::string text() const {
    std::string all;
    char buffer[4096];
    lseek(file_, 0, SEEK_SET);
    for (ssize_t count = 0; (count = read(file_, buffer, sizeof buffer)) > 0;)
      all.append(buffer, static_cast<size_t>(count));
    return all;
  }

 private:
  int file_;
};

}  // namespace

std::optional<CommandOutput> run_command(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Page out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = -1;
  const int problem = posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem == ENOENT || problem == EACCES) return std::nullopt;
  if (problem != 0) throw Error(ErrorKind::resources, "cannot run " + words.front());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return CommandOutput{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace atto
