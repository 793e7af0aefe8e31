#include "app/interrupt.h"

#include <unistd.h>
#include <csignal>

namespace atto {
namespace {

std::atomic<bool> interrupted{false}, nearly_up{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int) {
  if (interrupted.exchange(true)) _exit(kInterruptedExit);
}

extern "C" void on_worker_signal(int signal) {
  if (signal == SIGUSR1) nearly_up = true;
  interrupted = true;
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
  std::signal(SIGPIPE, SIG_DFL);
}

const std::atomic<bool>& stop_requested() { return interrupted; }

}  // namespace atto
