// Philox4x32-10 (Salmon et al. 2011), one lane a sample.
#include "kernels/random.h"

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

struct Product {
  hn::Vec<Words> high, low;
};

// Both halves of the 64-bit products of 32-bit lanes: even and odd lanes are multiplied apart and interleaved again.
HWY_INLINE Product wide_multiply(hn::Vec<Words> a, hn::Vec<Words> b) {
  const Words w;
  const hn::Repartition<uint64_t, Words> pairs;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(w, hn::ShiftRight<32>(hn::BitCast(pairs, a))),
                               hn::BitCast(w, hn::ShiftRight<32>(hn::BitCast(pairs, b))));
  return {hn::OddEven(hn::BitCast(w, odd), hn::BitCast(w, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(w, hn::ShiftLeft<32>(odd)), hn::BitCast(w, even))};
}

using Pairs = hn::Repartition<uint64_t, Words>;

// Four words for each sample of a register, while they are computed: 32 × 32 → 64-bit products exist for even lanes
// only, so even and odd samples go apart, a sample in the low half of each 64 bits. The high halves hold whatever.
struct Halves {
  hn::Vec<Pairs> even[4], odd[4];

  hn::Vec<Words> word(int i) const {
    const Words w;
    return hn::OddEven(hn::BitCast(w, hn::ShiftLeft<32>(odd[i])), hn::BitCast(w, even[i]));
  }
  // ⌊word · bound / 2^32⌋
  hn::Vec<Words> below(int i, hn::Vec<Words> bound) const {
    const Words w;
    const auto low = hn::MulEven(hn::BitCast(w, even[i]), bound), high = hn::MulEven(hn::BitCast(w, odd[i]), bound);
    return hn::OddEven(hn::BitCast(w, high), hn::DupOdd(hn::BitCast(w, low)));
  }
};

inline constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
inline constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;

// What the samples of a block share after two of the ten rounds: only the first word of the counter differs between
// them, so that half of those rounds is done once for all.
struct SharedRounds {
  uint32_t k0, k1;
  uint32_t after1;  // enters the third word in the first round
  uint32_t after2[3];

  SharedRounds(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t block)
      : k0(static_cast<uint32_t>(seed)), k1(static_cast<uint32_t>(seed >> 32)) {
    const uint64_t first = uint64_t{static_cast<uint32_t>(step)} * kMultiplier1;
    const uint32_t c0 = static_cast<uint32_t>(first >> 32) ^ block ^ k0, c1 = static_cast<uint32_t>(first);
    after1 = (purpose + 256 * static_cast<uint32_t>(step >> 32)) ^ k1;
    advance();
    const uint64_t second = uint64_t{c0} * kMultiplier0;
    after2[0] = c1 ^ k0;
    after2[1] = static_cast<uint32_t>(second >> 32) ^ k1;
    after2[2] = static_cast<uint32_t>(second);
    advance();
  }
  void advance() {
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
};

// One word of each sample in the low halves of c → its product with a multiplier, and that product's high half.
HWY_INLINE hn::Vec<Pairs> multiplied(hn::Vec<Pairs> c, uint32_t multiplier) {
  return hn::MulEven(hn::BitCast(Words(), c), hn::Set(Words(), multiplier));
}
// A shuffle and not a shift, which would compete with the products for the same port.
HWY_INLINE hn::Vec<Pairs> high_half(hn::Vec<Pairs> product) {
  return hn::BitCast(Pairs(), hn::DupOdd(hn::BitCast(Words(), product)));
}

// The rounds of the samples whose numbers are `sample`, into c.
HWY_INLINE void philox_rounds(SharedRounds shared, hn::Vec<Pairs> sample, hn::Vec<Pairs>* c) {
  const Pairs d;
  auto p0 = multiplied(sample, kMultiplier0);
  auto p1 = multiplied(hn::Xor(high_half(p0), hn::Set(d, shared.after1)), kMultiplier1);
  c[0] = hn::Xor(high_half(p1), hn::Set(d, shared.after2[0]));
  c[1] = p1;
  c[2] = hn::Xor(p0, hn::Set(d, shared.after2[1]));
  c[3] = hn::Set(d, shared.after2[2]);
  for (int round = 2; round < 10; ++round) {
    p0 = multiplied(c[0], kMultiplier0);
    p1 = multiplied(c[2], kMultiplier1);
    c[0] = hn::Xor3(high_half(p1), c[1], hn::Set(d, shared.k0));
    c[1] = p1;
    c[2] = hn::Xor3(high_half(p0), c[3], hn::Set(d, shared.k1));
    c[3] = p0;
    shared.advance();
  }
}

// The block of a register of samples from `first_sample` on.
HWY_INLINE Halves philox(const SharedRounds& shared, uint32_t first_sample) {
  const Words w;
  const Pairs d;
  const auto samples = hn::Add(hn::Iota(w, 0), hn::Set(w, first_sample));
  Halves halves;
  philox_rounds(shared, hn::BitCast(d, samples), halves.even);
  philox_rounds(shared, hn::BitCast(d, hn::Add(samples, hn::Set(w, 1))), halves.odd);
  return halves;
}

// Hands go(register of four words, word, place in words[4·blocks][n]) every word.
template <class Go>
HWY_INLINE void each_word(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, int n,
                          const Go& go) {
  for (int block = 0; block < blocks; ++block) {
    const SharedRounds shared(seed, purpose, step, static_cast<uint32_t>(block));
    for (int b = 0; b < n; b += kPart) {
      const Halves drawn = philox(shared, first_sample + static_cast<uint32_t>(b));
      ATTO_UNROLLED for (int i = 0; i < 4; ++i) go(drawn, i, static_cast<size_t>(4 * block + i) * n + b);
    }
  }
}

void RandomWords(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t* words,
                 int n) {
  each_word(seed, purpose, step, first_sample, blocks, n,
            [&](const Halves& drawn, int i, size_t at) HWY_ATTR { hn::StoreU(drawn.word(i), Words(), words + at); });
}

void RandomIntegers(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t bound,
                    int32_t* numbers, int n) {
  const auto limit = hn::Set(Words(), bound);
  each_word(seed, purpose, step, first_sample, blocks, n, [&](const Halves& drawn, int i, size_t at) HWY_ATTR {
    hn::StoreU(hn::BitCast(Ints(), drawn.below(i, limit)), Ints(), numbers + at);
  });
}

// sin(πx) for |x| <= 1/2, relative error below 1e-7.
HWY_INLINE Group sine_of_half_turns(const Group& x) {
  const Group square = x * x;
  Group p = broadcast(0.07756037f);
  p = fma(p, square, broadcast(-0.5982421f));
  p = fma(p, square, broadcast(2.5500698f));
  p = fma(p, square, broadcast(-5.16771f));
  p = fma(p, square, broadcast(3.1415927f));
  return p * x;
}

// Box and Muller: √(-2 ln u) times cosine and sine of a random angle are two independent normals.
void RandomNormals(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, float* numbers,
                   int n) {
  const Floats f;
  const Ints s;
  const size_t stride = n;
  for (int block = 0; block < blocks; ++block) {
    const SharedRounds shared(seed, purpose, step, static_cast<uint32_t>(block));
    for (int b = 0; b < n; b += kLanes) {
      Group uniform[2], across[2], along[2], sign[2];
      ATTO_EACH_PART {
        const Halves drawn = philox(shared, first_sample + static_cast<uint32_t>(b + k * kPart));
        for (int i = 0; i < 2; ++i) {
          // In (0, 1], so that the logarithm is finite.
          const auto high = hn::ConvertTo(f, hn::BitCast(s, hn::ShiftRight<8>(drawn.word(2 * i))));
          uniform[i].part[k] = hn::Mul(hn::Add(high, hn::Set(f, 0.5f)), hn::Set(f, 0x1p-24f));
          // The angle in half turns, [-1, 1], folded onto the quarter where sine and cosine are polynomials.
          const auto turn = hn::Mul(hn::ConvertTo(f, hn::BitCast(s, drawn.word(2 * i + 1))), hn::Set(f, 0x1p-31f));
          const auto size = hn::Abs(turn);
          across[i].part[k] = hn::Min(size, hn::Sub(hn::Set(f, 1.0f), size));
          along[i].part[k] = hn::Sub(hn::Set(f, 0.5f), size);
          sign[i].part[k] = hn::CopySign(hn::Set(f, 1.0f), turn);
        }
      }
      for (int i = 0; i < 2; ++i) {
        const Group radius = square_root(logarithm(uniform[i]) * broadcast(-2.0f));
        float* out = numbers + (4 * block + 2 * i) * stride + b;
        store(radius * sine_of_half_turns(along[i]), out);
        store(radius * sign[i] * sine_of_half_turns(across[i]), out + stride);
      }
    }
  }
}

void AliasedIntegers(const uint32_t* words, uint32_t bound, const uint32_t* keep, const int32_t* alias,
                     const int32_t* rows, int32_t* numbers, size_t count) {
  const Words w;
  const Ints s;
  const auto limit = hn::Set(w, bound);
  size_t i = 0;
  for (; i + kPart <= count; i += kPart) {
    // word · bound = slot · 2^32 + coin
    const Product product = wide_multiply(hn::LoadU(w, words + i), limit);
    const auto slot = hn::BitCast(s, product.high);
    auto entry = slot;
    if (rows != nullptr) entry = hn::Add(entry, hn::Mul(hn::LoadU(s, rows + i), hn::BitCast(s, limit)));
    const auto threshold = hn::BitCast(w, hn::GatherIndex(s, reinterpret_cast<const int32_t*>(keep), entry));
    const auto kept = hn::RebindMask(s, hn::Lt(product.low, threshold));
    hn::StoreU(hn::IfThenElse(kept, slot, hn::GatherIndex(s, alias, entry)), s, numbers + i);
  }
  for (; i < count; ++i) {
    const uint64_t product = static_cast<uint64_t>(words[i]) * bound;
    const auto slot = static_cast<int32_t>(product >> 32);
    const size_t entry = (rows == nullptr ? 0 : static_cast<size_t>(rows[i]) * bound) + slot;
    numbers[i] = static_cast<uint32_t>(product) < keep[entry] ? slot : alias[entry];
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(RandomWords);
HWY_EXPORT(RandomIntegers);
HWY_EXPORT(RandomNormals);
HWY_EXPORT(AliasedIntegers);

void random_words(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t* words,
                  int n) {
  HWY_DYNAMIC_DISPATCH(RandomWords)(seed, purpose, step, first_sample, blocks, words, n);
}
void random_normals(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, float* numbers,
                    int n) {
  HWY_DYNAMIC_DISPATCH(RandomNormals)(seed, purpose, step, first_sample, blocks, numbers, n);
}
void random_integers(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t bound,
                     int32_t* numbers, int n) {
  HWY_DYNAMIC_DISPATCH(RandomIntegers)(seed, purpose, step, first_sample, blocks, bound, numbers, n);
}
void aliased_integers(const uint32_t* words, uint32_t bound, const uint32_t* keep, const int32_t* alias,
                      const int32_t* rows, int32_t* numbers, size_t count) {
  HWY_DYNAMIC_DISPATCH(AliasedIntegers)(words, bound, keep, alias, rows, numbers, count);
}

}  // namespace atto
#endif
