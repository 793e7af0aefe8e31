// Ctrl-C, SIGTERM and a closed terminal (SIGHUP): the first asks for a clean stop, another one that comes later
// ends the program at once.
#pragma once

#include <atomic>

namespace atto {

inline constexpr int kInterruptedExit = 130;

// Installs the handlers; also restores the quiet death on a closed pipe (`atto list | head`).
void watch_signals();

// For whoever has waited for the first signal in another way: it has come, and the next ends the program.
void watch_for_another_signal();

// For a worker of a cluster: SIGUSR1, which comes shortly before the time limit, asks for a clean stop as well, and no
// further signal cuts it short; the cluster kills whoever takes too long.
void watch_worker_signals();
bool time_is_nearly_up();  // SIGUSR1 came

// Set once the user asked to stop. A signal handler can reach nothing but a global; this is the only one.
const std::atomic<bool>& stop_requested();

}  // namespace atto
