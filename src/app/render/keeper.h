// What the keeper of a program does (kept_program.h). Internal to it.
#pragma once

#include <vector>

namespace atto {

// All that it needs is made before the fork: another thread may have held a lock of the allocator at that moment, so
// the keeper calls nothing but the kernel.
struct KeeperJob {
  const char* folder = nullptr;
  const char* out = nullptr;  // files for what the program prints
  const char* err = nullptr;
  char* const* words = nullptr;
  int orders = -1, answers = -1;
};

// One letter each. From the keeper: the folder is there, or it is not; the program has ended well, badly, or was
// killed.
namespace keeper {
inline constexpr char kMade = 'm', kTaken = 't', kRefused = 'r', kEnded = 'e', kFailed = 'f', kKilled = 'k';
// To the keeper; that nobody is left to give orders is the last one.
inline constexpr char kStart = 's', kKill = 'x';
}  // namespace keeper

[[noreturn]] void keep(const KeeperJob& job);

}  // namespace atto
