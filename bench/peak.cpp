#include "peak.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atto::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `rounds` times twelve independent multiply-adds: enough to hide a latency of four to five cycles on two ports, few
// enough to stay in registers. They start from twelve values known only at run time, lest the compiler merge them.
// Returns the multiply-adds done.
size_t multiply_add(size_t rounds, float* values) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, 1e-3f);
  auto a = hn::Set(d, values[0]), b = hn::Set(d, values[1]), c = hn::Set(d, values[2]), e = hn::Set(d, values[3]);
  auto f = hn::Set(d, values[4]), g = hn::Set(d, values[5]), h = hn::Set(d, values[6]), i = hn::Set(d, values[7]);
  auto j = hn::Set(d, values[8]), k = hn::Set(d, values[9]), l = hn::Set(d, values[10]), m = hn::Set(d, values[11]);
  for (size_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
    m = hn::MulAdd(m, factor, term);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
  values[0] = hn::GetLane(hn::Add(sum, hn::Add(hn::Add(j, k), hn::Add(l, m))));
  return rounds * 12 * hn::Lanes(d);
}

}  // namespace atto::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto::bench {
HWY_EXPORT(multiply_add);

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A chain of dependent register additions takes one cycle each on every processor of today, so counting them against
// the wall clock gives the clock rate without any counter of the machine's. The empty asm keeps the chain from being
// folded; eight links a round leave the loop itself off the critical path.
double measure_hertz() {
  constexpr size_t kRounds = 50'000;
  uint64_t chain = 1, step = 3;
  asm volatile("" : "+r"(chain), "+r"(step));
  const auto link = [&] {
    chain += step;
    asm volatile("" : "+r"(chain));
  };
  const auto start = std::chrono::steady_clock::now();
  for (size_t round = 0; round < kRounds; ++round) {
    link(), link(), link(), link();
    link(), link(), link(), link();
  }
  return kRounds * 8 / seconds_since(start);
}

}  // namespace

Peak measure_peak() {
  constexpr size_t kRounds = 50'000;
  Peak best;
  for (int burst = 0; burst < 200; ++burst) {
    float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    asm volatile("" : "+m"(values));
    const auto start = std::chrono::steady_clock::now();
    const size_t done = HWY_DYNAMIC_DISPATCH(multiply_add)(kRounds, values);
    asm volatile("" : "+m"(values));
    best.fma_per_second = std::max(best.fma_per_second, static_cast<double>(done) / seconds_since(start));
    best.hertz = std::max(best.hertz, measure_hertz());
  }
  return best;
}

}  // namespace atto::bench
#endif
