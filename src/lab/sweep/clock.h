// The clock that a sweep tells its time by.
#pragma once

#include <chrono>

namespace atto {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace atto
