// What this machine can do at best, measured: the denominator of the roofline.
#pragma once

namespace atto::bench {

struct Peak {
  double fma_per_second = 0;  // single-precision fused multiply-adds, all lanes counted, one thread
  double hertz = 0;           // clock the core ran at meanwhile
};

// The best of many short bursts on the dispatched instruction set, each followed by a timing of the clock.
Peak measure_peak();

}  // namespace atto::bench
