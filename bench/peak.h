// What this machine can do at best, measured: the denominators of the roofline.
#pragma once

namespace atto::bench {

// A second on one thread, lanes counted one by one unless said otherwise.
struct Peak {
  double multiply_adds = 0;  // single-precision, fused, in registers
  double exponentials = 0;   // power_of_two() of kernels/simd/simd-inl.h
  double logarithms = 0;     // logarithm() of it
  double roots = 0;
  double quotients = 0;
  double random_words = 0;  // random_words() of kernels/kernels.h
  double loads = 0;         // instructions, of a whole register, from the first-level cache
  double stores = 0;        // instructions, of a whole register, into it
  int lanes = 0;            // floats of a register
  double hertz = 0;         // clock the core ran at meanwhile
};

// The best of many short bursts on the dispatched instruction set.
Peak measure_peak();

// Multiply-adds a second as above, over about so many seconds on end: what is left of the peak for a long step, with
// the clock the core keeps up and whatever else happens on it meanwhile.
double sustained_multiply_adds(double seconds);

}  // namespace atto::bench
