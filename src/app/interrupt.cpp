#include "app/interrupt.h"

#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace atto {
namespace {

std::atomic<bool> interrupted{false}, nearly_up{false};
std::atomic<int64_t> first_signal{0};  // when it came, in nanoseconds
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// Signals that come together are one wish to stop: `timeout` sends its own to the program and then to its group.
constexpr int64_t kTogether = 200'000'000;  // nanoseconds; nobody presses Ctrl-C again so soon

int64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_signal(int) {
  const int64_t now = nanoseconds();
  int64_t first = 0;
  if (!first_signal.compare_exchange_strong(first, now) && now - first > kTogether) _exit(kInterruptedExit);
  interrupted = true;
}

extern "C" void on_worker_signal(int signal) {
  if (signal == SIGUSR1) nearly_up = true;
  interrupted = true;
}

void handle_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A closed terminal is a reason to stop, unless the user said beforehand that it is none (nohup).
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

}  // namespace

void watch_worker_signals() {
  struct sigaction action {};
  action.sa_handler = on_worker_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool time_is_nearly_up() { return nearly_up; }

void watch_signals() {
  handle_stop_signals();
  std::signal(SIGPIPE, SIG_DFL);
}

void watch_for_another_signal() {
  on_signal(SIGINT);
  handle_stop_signals();
}

const std::atomic<bool>& stop_requested() { return interrupted; }

}  // namespace atto
