#include "peak.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/arena.h"
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Each of these does `rounds` rounds of its work and returns how many operations that were. What they read is known at
// run time only and what they write is looked at, so that the compiler can leave nothing out.

// Twelve independent multiply-adds a round: enough to hide a latency of four to five cycles on two ports, few enough to
// stay in registers.
size_t MultiplyAdds(size_t rounds, float* values) {
  const Floats d;
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

inline constexpr int kGroups = 64;  // of the buffers below: 4 KB

// An elementary function of kGroups groups a round. They come from the first-level cache and go back to another place
// of it, which takes no unit that computes; each is independent of the others.
template <class Function>
HWY_INLINE size_t apply(size_t rounds, float* values, Function function) {
  float* const results = values + kGroups * kLanes;
  for (size_t round = 0; round < rounds; ++round) {
    for (int g = 0; g < kGroups; ++g) store(function(load(values + g * kLanes)), results + g * kLanes);
    asm volatile("" : : : "memory");
  }
  return rounds * kGroups * kLanes;
}
size_t Exponentials(size_t rounds, float* values) {
  return apply(rounds, values, [](const Group& x) HWY_ATTR { return power_of_two(x); });
}
size_t Logarithms(size_t rounds, float* values) {
  return apply(rounds, values, [](const Group& x) HWY_ATTR { return logarithm(x); });
}
size_t Roots(size_t rounds, float* values) {
  return apply(rounds, values, [](const Group& x) HWY_ATTR { return square_root(x); });
}
size_t Quotients(size_t rounds, float* values) {
  const Group one = broadcast(values[0]);
  return apply(rounds, values, [one](const Group& x) HWY_ATTR { return one / x; });
}

size_t Lanes() { return hn::Lanes(Floats()); }

// Instructions. A load is made to happen by calling its register needed.
size_t Loads(size_t rounds, float* values) {
  for (size_t round = 0; round < rounds; ++round) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const Group got = load(values + g * kLanes);
      ATTO_EACH_PART asm volatile("" : : "x"(got.part[k].raw));
    }
  }
  return rounds * kGroups * kParts;
}
size_t Stores(size_t rounds, float* values) {
  const Group written = load(values);
  for (size_t round = 0; round < rounds; ++round) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) store(written, values + g * kLanes);
    asm volatile("" : : : "memory");
  }
  return rounds * kGroups * kParts;
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {
HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(Exponentials);
HWY_EXPORT(Logarithms);
HWY_EXPORT(Roots);
HWY_EXPORT(Quotients);
HWY_EXPORT(Loads);
HWY_EXPORT(Stores);
HWY_EXPORT(Lanes);

namespace bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A chain of dependent register additions takes one cycle each on every processor of today, so counting them against
// the wall clock gives the clock rate without any counter of the machine's. The empty asm keeps the chain from being
// folded; eight links a round leave the loop itself off the critical path. They are written out: what follows
// the last target of a file is compiled with little optimization (simd-inl.h), where a lambda keeps the chain in
// memory.
double measure_hertz() {
  constexpr size_t kRounds = 25'000, kLinks = 8;
  uint64_t chain = 1, step = 3;
  asm volatile("" : "+r"(chain), "+r"(step));
  const auto start = std::chrono::steady_clock::now();
#define ATTO_LINK \
  chain += step;  \
  asm volatile("" : "+r"(chain))
  for (size_t round = 0; round < kRounds; ++round) {
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
    ATTO_LINK;
  }
#undef ATTO_LINK
  return kRounds * kLinks / seconds_since(start);
}

// As a batch of 512 draws its words: 16 rows of 512 lanes, 32 KB.
size_t draw_words(size_t rounds, uint32_t* words) {
  constexpr int kBlocks = 4, kSamples = 512;
  for (size_t round = 0; round < rounds; ++round) random_words(1, 2, round, 0, kBlocks, words, kSamples);
  return rounds * 4 * kBlocks * kSamples;
}

void raise(double& best, const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  const size_t done = work();
  best = std::max(best, static_cast<double>(done) / seconds_since(start));
}

}  // namespace

Peak measure_peak() {
  constexpr int kBursts = 150;  // of a tenth of a millisecond or so each
  Peak best;
  Arena<float> values(2 * 64 * kLanes);  // aligned: a load across two cache lines takes two turns
  Arena<uint32_t> words(16 * 512);
  best.lanes = static_cast<int>(HWY_DYNAMIC_DISPATCH(Lanes)());
  for (int burst = 0; burst < kBursts; ++burst) {
    for (size_t i = 0; i < values.span().size(); ++i) values.data()[i] = 1 + static_cast<float>(i % 100) / 100;
    float* const at = values.data();
    asm volatile("" : : "r"(at) : "memory");
    raise(best.multiply_adds, [&] { return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(20'000, at); });
    raise(best.exponentials, [&] { return HWY_DYNAMIC_DISPATCH(Exponentials)(500, at); });
    raise(best.logarithms, [&] { return HWY_DYNAMIC_DISPATCH(Logarithms)(300, at); });
    raise(best.roots, [&] { return HWY_DYNAMIC_DISPATCH(Roots)(200, at); });
    raise(best.quotients, [&] { return HWY_DYNAMIC_DISPATCH(Quotients)(200, at); });
    raise(best.loads, [&] { return HWY_DYNAMIC_DISPATCH(Loads)(3'000, at); });
    raise(best.stores, [&] { return HWY_DYNAMIC_DISPATCH(Stores)(3'000, at); });
    raise(best.random_words, [&] { return draw_words(20, words.data()); });
    best.hertz = std::max(best.hertz, measure_hertz());
  }
  return best;
}

double sustained_multiply_adds(double seconds) {
  Arena<float> values(kLanes);
  std::fill_n(values.data(), values.size(), 1.0f);
  const auto start = std::chrono::steady_clock::now();
  size_t done = 0;
  double taken = 0;
  do {
    done += HWY_DYNAMIC_DISPATCH(MultiplyAdds)(20'000, values.data());
    taken = seconds_since(start);
  } while (taken < seconds);
  return static_cast<double>(done) / taken;
}

}  // namespace bench
}  // namespace atto
#endif
