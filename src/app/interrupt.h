// Ctrl-C, SIGTERM and a closed terminal (SIGHUP): the first asks for a clean stop, the second ends the program at once.
#pragma once

#include <atomic>

namespace atto {

inline constexpr int kInterruptedExit = 130;

// Installs the handlers; also restores the quiet death on a closed pipe (`atto list | head`).
void watch_signals();

// Set once the user asked to stop. A signal handler can reach nothing but a global; this is the only one.
const std::atomic<bool>& stop_requested();

}  // namespace atto
