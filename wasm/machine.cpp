// What the machine has to offer, where it is a browser's sandbox (src/base/machine.cpp has the other).
#include "base/machine.h"

#include "host.h"
#include "kernels/simd/target.h"

namespace atto {

size_t available_memory() { return kMostMemory - __builtin_wasm_memory_size(0) * kPage; }

int usable_cores() { return 1; }

std::vector<std::string> supported_targets() { return {active_target()}; }

void pin_target(std::string_view) {}

std::string active_target() {
#ifdef __wasm_relaxed_simd__
  return "wasm-relaxed";
#else
  return "wasm";
#endif
}

}  // namespace atto
