// Philox4x32-10 (Salmon et al. 2011), one lane a sample.
#include "numeric/random.h"

#include "numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/random.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/simd-inl.h"

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

struct Block {
  hn::Vec<Words> word[4];
};

// The block of a register of samples from `first_sample` on.
HWY_INLINE Block philox(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, uint32_t block) {
  const Words w;
  const auto multiplier0 = hn::Set(w, 0xD2511F53u), multiplier1 = hn::Set(w, 0xCD9E8D57u);
  auto c0 = hn::Add(hn::Iota(w, 0), hn::Set(w, first_sample));
  auto c1 = hn::Set(w, block);
  auto c2 = hn::Set(w, static_cast<uint32_t>(step));
  auto c3 = hn::Set(w, purpose + 256 * static_cast<uint32_t>(step >> 32));
  auto k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const Product p0 = wide_multiply(c0, multiplier0), p1 = wide_multiply(c2, multiplier1);
    c0 = hn::Xor(hn::Xor(p1.high, c1), hn::Set(w, k0));
    c1 = p1.low;
    c2 = hn::Xor(hn::Xor(p0.high, c3), hn::Set(w, k1));
    c3 = p0.low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

void RandomWords(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t* words,
                 int n) {
  const size_t stride = n;
  for (int block = 0; block < blocks; ++block) {
    for (int b = 0; b < n; b += kPart) {
      const Block drawn =
          philox(seed, purpose, step, first_sample + static_cast<uint32_t>(b), static_cast<uint32_t>(block));
      for (int i = 0; i < 4; ++i) hn::StoreU(drawn.word[i], Words(), words + (4 * block + i) * stride + b);
    }
  }
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
    for (int b = 0; b < n; b += kGroup) {
      Group uniform[2], across[2], along[2], sign[2];
      ATTO_EACH_PART {
        const Block drawn = philox(seed, purpose, step, first_sample + static_cast<uint32_t>(b + k * kPart),
                                   static_cast<uint32_t>(block));
        for (int i = 0; i < 2; ++i) {
          // In (0, 1], so that the logarithm is finite.
          const auto high = hn::ConvertTo(f, hn::BitCast(s, hn::ShiftRight<8>(drawn.word[2 * i])));
          uniform[i].part[k] = hn::Mul(hn::Add(high, hn::Set(f, 0.5f)), hn::Set(f, 0x1p-24f));
          // The angle in half turns, [-1, 1], folded onto the quarter where sine and cosine are polynomials.
          const auto turn = hn::Mul(hn::ConvertTo(f, hn::BitCast(s, drawn.word[2 * i + 1])), hn::Set(f, 0x1p-31f));
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

void BoundedIntegers(const uint32_t* words, uint32_t bound, int32_t* numbers, size_t count) {
  const Words w;
  const auto limit = hn::Set(w, bound);
  size_t i = 0;
  for (; i + kPart <= count; i += kPart)
    hn::StoreU(hn::BitCast(Ints(), wide_multiply(hn::LoadU(w, words + i), limit).high), Ints(), numbers + i);
  for (; i < count; ++i) numbers[i] = static_cast<int32_t>((static_cast<uint64_t>(words[i]) * bound) >> 32);
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
HWY_EXPORT(RandomNormals);
HWY_EXPORT(BoundedIntegers);
HWY_EXPORT(AliasedIntegers);

void random_words(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t* words,
                  int n) {
  HWY_DYNAMIC_DISPATCH(RandomWords)(seed, purpose, step, first_sample, blocks, words, n);
}
void random_normals(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, float* numbers,
                    int n) {
  HWY_DYNAMIC_DISPATCH(RandomNormals)(seed, purpose, step, first_sample, blocks, numbers, n);
}
void bounded_integers(const uint32_t* words, uint32_t bound, int32_t* numbers, size_t count) {
  HWY_DYNAMIC_DISPATCH(BoundedIntegers)(words, bound, numbers, count);
}

void aliased_integers(const uint32_t* words, uint32_t bound, const uint32_t* keep, const int32_t* alias,
                      const int32_t* rows, int32_t* numbers, size_t count) {
  HWY_DYNAMIC_DISPATCH(AliasedIntegers)(words, bound, keep, alias, rows, numbers, count);
}

}  // namespace atto
#endif
