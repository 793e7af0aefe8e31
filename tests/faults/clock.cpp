// The clock on the wall, which somebody sets while the program works.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>

#include "plan.h"

namespace {

std::atomic<bool> jumping = false;
std::atomic<int> asked = 0;

// Ten years on, ten years back, by turns.
time_t jump() { return jumping ? (asked++ % 2 == 0 ? 1 : -1) * time_t{10} * 365 * 86'400 : 0; }

}  // namespace

namespace atto::faults {

void let_clock_jump() { jumping = true; }

}  // namespace atto::faults

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) {
  static const auto real = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += jump();
  return result;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto real = reinterpret_cast<int (*)(timeval*, void*)>(dlsym(RTLD_NEXT, "gettimeofday"));
  const int result = real(now, zone);
  now->tv_sec += jump();
  return result;
}

time_t time(time_t* now) noexcept {
  timespec found{};
  clock_gettime(CLOCK_REALTIME, &found);
  if (now != nullptr) *now = found.tv_sec;
  return found.tv_sec;
}
}
