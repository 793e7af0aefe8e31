#include "plan.h"

#include <atomic>

namespace atto::faults {
namespace {

std::atomic<Fault> armed = Fault::none;
std::atomic<int64_t> calls = 0, fails_at = 0;

}  // namespace

void arm(Fault fault, int64_t fail_at) {
  calls = 0;
  fails_at = fail_at;
  armed = fault;
}

int64_t disarm() {
  armed = Fault::none;
  return calls;
}

bool fails(Fault fault) { return armed.load(std::memory_order_relaxed) == fault && ++calls == fails_at; }

}  // namespace atto::faults
