// Numbers below 1e-38 count as zero while a guard lives. Vanishing attention weights and Adam's fading means end up
// there, and the processor handles such numbers a hundred times slower than others. The rule is the same for every
// vector width, so it does not touch reproducibility. The thread's own setting comes back when the guard goes. Making
// one waits until the processor has finished all arithmetic before it, some hundred cycles: the steps of a tiny network
// share one.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace atto {

class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }  // flush results (bit 15) and inputs (bit 6)
  ~FlushDenormals() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(saved_ | (1u << 24)));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" ::"r"(saved_)); }
#else
  FlushDenormals() {}  // WebAssembly has no such setting
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__aarch64__)
  uint64_t saved_ = 0;
#elif defined(__SSE2__)
  unsigned saved_ = 0;
#endif
};

}  // namespace atto
