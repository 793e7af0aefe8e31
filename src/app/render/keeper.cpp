#include "app/render/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace atto {
namespace {

constexpr int kLook = 20;   // milliseconds between two looks at the program
constexpr int kTries = 50;  // at what takes a moment

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};

void set_signals(void (*handler)(int)) {
  for (const int one : kSignals) signal(one, handler);
}

void open_as(int descriptor, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file == descriptor) return;
  dup2(file, descriptor);
  close(file);
}

// Everything but the two pipes: the lock of a store must not outlive its writer, nor a pipe its reader.
void close_others(int orders, int answers) {
  constexpr int kOrders = 100, kAnswers = 101;  // out of the way of each other
  dup2(orders, kOrders);
  dup2(answers, kAnswers);
  dup2(kOrders, 3);
  dup2(kAnswers, 4);
  for (int standard = 0; standard <= 2; ++standard) open_as(standard, "/dev/null", O_RDWR);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 5u, ~0u, 0u) == 0) return;
#endif
  for (long descriptor = 5, end = sysconf(_SC_OPEN_MAX); descriptor < end && descriptor < 65536; ++descriptor)
    close(static_cast<int>(descriptor));
}

void say(char word) {
  while (write(4, &word, 1) < 0 && errno == EINTR) continue;
}

pid_t start(const KeeperJob& job) {
  const pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);  // here too: whoever comes first
    return child;
  }
  setpgid(0, 0);
  close(3);
  close(4);
  set_signals(SIG_DFL);
  open_as(STDOUT_FILENO, job.out, O_WRONLY | O_CREAT | O_TRUNC);
  open_as(STDERR_FILENO, job.err, O_WRONLY | O_CREAT | O_TRUNC);
  execvp(job.words[0], job.words);
  _exit(127);
}

void pause_for(int milliseconds) { poll(nullptr, 0, milliseconds); }

// The program and all it started; orphans of it come to the keeper (a subreaper), so that none stays as a zombie.
void end_group(pid_t group) {
  for (int tries = 0; group > 0 && tries < kTries; ++tries) {
    const bool any = kill(-group, SIGKILL) == 0;
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    if (!any) return;
    pause_for(kLook);
  }
}

void remove_folder(const char* folder) {
  struct stat found {};
  for (int tries = 0; tries < kTries && lstat(folder, &found) == 0; ++tries) {
    if (tries > 0) pause_for(kLook);
    const pid_t remover = fork();
    if (remover == 0) {
      execl("/bin/rm", "rm", "-rf", "--", folder, static_cast<char*>(nullptr));
      _exit(127);
    }
    waitpid(remover, nullptr, 0);
  }
}

}  // namespace

void keep(const KeeperJob& job) {
  setpgid(0, 0);
  set_signals(SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  close_others(job.orders, job.answers);
  if (mkdir(job.folder, 0700) != 0) {
    say(errno == EEXIST ? keeper::kTaken : keeper::kRefused);
    _exit(0);
  }
  say(keeper::kMade);
  pid_t program = 0;  // also the group of all it starts
  bool running = false;
  for (;;) {
    pollfd orders{3, POLLIN, 0};
    poll(&orders, 1, running ? kLook : -1);
    if (orders.revents != 0) {
      char order = 0;
      if (read(3, &order, 1) != 1) break;
      if (order == keeper::kStart) {
        program = start(job);
        running = program > 0;
        if (!running) say(keeper::kFailed);
      } else if (order == keeper::kKill && running) {
        end_group(program);
        running = false;
        say(keeper::kKilled);
      }
    }
    int status = 0;
    if (!running || waitpid(program, &status, WNOHANG) != program) continue;
    running = false;
    end_group(program);  // whatever of it is left
    say(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? keeper::kEnded : keeper::kFailed);
  }
  end_group(program);
  remove_folder(job.folder);
  _exit(0);
}

}  // namespace atto
