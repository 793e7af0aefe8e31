// How the arithmetic of the kernels turns out on this machine, found by computing.
#pragma once

namespace atto {

struct Arithmetic {
  bool fused = false;    // a multiply-add is rounded once
  bool flushed = false;  // under FlushDenormals, results below 1e-38 are zero
};
// Both hold on every native target. A browser never flushes, and fuses where its processor can and the engine was
// compiled to let it.
Arithmetic arithmetic();

}  // namespace atto
