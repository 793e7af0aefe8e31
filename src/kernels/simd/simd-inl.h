// The virtual vector: a group of 16 floats, one lane a sample, on every instruction set.
//
// AVX-512 holds a group in one register, AVX2 in two, SSE4 in four; all do the same operations in the same order, and
// every multiply-add is fused (SSE4 emulates it exactly), so a run gives the same bits everywhere.
//
// Compiled once per target by Highway's foreach_target; include it only from files that do so, inside no namespace.
#if defined(ATTO_KERNELS_SIMD_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_SIMD_SIMD_INL_H_
#undef ATTO_KERNELS_SIMD_SIMD_INL_H_
#else
#define ATTO_KERNELS_SIMD_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
inline constexpr int kPart = static_cast<int>(hn::MaxLanes(Floats()));  // lanes of a register
inline constexpr int kParts = kLanes / kPart;                           // registers of a group
static_assert(kPart * kParts == kLanes && !HWY_HAVE_SCALABLE, "groups need registers of a fixed size");
// Groups that all registers together hold: 32 by AVX-512, 8 by AVX2 and NEON, 4 by SSE4 and WebAssembly.
inline constexpr int kGroupsHeld = (HWY_CAP_GE512 || HWY_ARCH_ARM ? 32 : 16) / kParts;

struct Group {
  hn::Vec<Floats> part[kParts];
};

// For loops over groups held in registers: left rolled, they would go through memory.
#define ATTO_UNROLLED HWY_UNROLL(8)
#define ATTO_EACH_PART for (int k = 0; k < kParts; ++k)
// For functions whose multiply-adds follow one another: inlined, except where those are emulated, as there a call costs
// next to nothing and a copy in every kernel took half of the build time.
#undef ATTO_SHORT
#if HWY_NATIVE_FMA || HWY_TARGET == HWY_WASM
#define ATTO_SHORT HWY_INLINE
#else
#define ATTO_SHORT HWY_NOINLINE static HWY_MAYBE_UNUSED
#endif

HWY_INLINE Group load(const float* from) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::LoadU(Floats(), from + k * kPart);
  return r;
}
HWY_INLINE void store(const Group& a, float* to) { ATTO_EACH_PART hn::StoreU(a.part[k], Floats(), to + k * kPart); }
HWY_INLINE Group broadcast(float value) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Set(Floats(), value);
  return r;
}
HWY_INLINE Group zero() {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Zero(Floats());
  return r;
}
HWY_INLINE Group operator+(const Group& a, const Group& b) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Add(a.part[k], b.part[k]);
  return r;
}
HWY_INLINE Group operator-(const Group& a, const Group& b) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Sub(a.part[k], b.part[k]);
  return r;
}
HWY_INLINE Group operator*(const Group& a, const Group& b) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Mul(a.part[k], b.part[k]);
  return r;
}
HWY_INLINE Group operator/(const Group& a, const Group& b) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Div(a.part[k], b.part[k]);
  return r;
}
// x86 gives the second argument when one is NaN: a running maximum stands second, so that what is not a number leaves
// it as it was, and powers of what is below it cannot overflow. WebAssembly has the same as the "pseudo" operations, with
// the arguments the other way round; those that it calls minimum and maximum take five instructions. ARM's own maximum gives
// the number, or NaN, whichever stands first; there it is a comparison and a choice.
HWY_INLINE Group maximum(const Group& a, const Group& b) {
  Group r;
#if HWY_TARGET == HWY_WASM
  ATTO_EACH_PART r.part[k].raw = wasm_f32x4_pmax(b.part[k].raw, a.part[k].raw);
#elif HWY_ARCH_ARM
  ATTO_EACH_PART r.part[k] = hn::IfThenElse(hn::Gt(a.part[k], b.part[k]), a.part[k], b.part[k]);
#else
  ATTO_EACH_PART r.part[k] = hn::Max(a.part[k], b.part[k]);
#endif
  return r;
}
HWY_INLINE Group minimum(const Group& a, const Group& b) {
  Group r;
#if HWY_TARGET == HWY_WASM
  ATTO_EACH_PART r.part[k].raw = wasm_f32x4_pmin(b.part[k].raw, a.part[k].raw);
#elif HWY_ARCH_ARM
  ATTO_EACH_PART r.part[k] = hn::IfThenElse(hn::Lt(a.part[k], b.part[k]), a.part[k], b.part[k]);
#else
  ATTO_EACH_PART r.part[k] = hn::Min(a.part[k], b.part[k]);
#endif
  return r;
}
HWY_INLINE Group square_root(const Group& a) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::Sqrt(a.part[k]);
  return r;
}

#if HWY_TARGET == HWY_WASM
// a*b + c: rounded once in builds that ask for it, on processors that can (kernels/simd/arithmetic.h tells), else twice.
// The exact emulation below would make a step 25 times slower.
HWY_INLINE Group fma(const Group& a, const Group& b, const Group& c) {
  Group r;
#ifdef __wasm_relaxed_simd__
  ATTO_EACH_PART r.part[k].raw = __builtin_wasm_relaxed_madd_f32x4(a.part[k].raw, b.part[k].raw, c.part[k].raw);
#else
  ATTO_EACH_PART r.part[k] = hn::Add(hn::Mul(a.part[k], b.part[k]), c.part[k]);
#endif
  return r;
}
#elif !HWY_NATIVE_FMA
// Fused multiply-add without the instruction. The product of two floats is exact in double; the sum with c is rounded
// to odd there (Boldo and Melquiond 2008), and the final rounding to float then gives the correctly rounded a*b + c.
template <class V>
HWY_INLINE auto fused_in_double(V a, V b, V c) {
  const hn::Repartition<double, Floats> in_double;
  const hn::RebindToSigned<decltype(in_double)> in_bits;
  const auto product = hn::Mul(hn::PromoteTo(in_double, a), hn::PromoteTo(in_double, b));
  const auto addend = hn::PromoteTo(in_double, c);
  const auto sum = hn::Add(product, addend);
  // Knuth's two-sum: sum + error is exact.
  const auto back = hn::Sub(sum, product);
  const auto error = hn::Add(hn::Sub(product, hn::Sub(sum, back)), hn::Sub(addend, back));
  const auto bits = hn::BitCast(in_bits, sum);
  // +1 when the error points away from zero, else -1; only if inexact (a NaN error is no error) and the last bit is
  // even.
  const auto away = hn::Or(hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(in_bits, error))), hn::Set(in_bits, 1));
  const auto zero_double = hn::Zero(in_double);
  const auto inexact = hn::Or(hn::Lt(error, zero_double), hn::Gt(error, zero_double));
  const auto even = hn::Eq(hn::And(bits, hn::Set(in_bits, 1)), hn::Zero(in_bits));
  const auto step = hn::IfThenElseZero(hn::And(hn::RebindMask(in_bits, inexact), even), away);
  const hn::Half<Floats> half;
  return hn::DemoteTo(half, hn::BitCast(in_double, hn::Add(bits, step)));
}

// a*b + c, rounded once. Not inlined here: it is long, and the kernels use it everywhere.
HWY_NOINLINE static HWY_MAYBE_UNUSED Group fma(const Group& a, const Group& b, const Group& c) {
  const hn::Half<Floats> half;
  Group r;
  ATTO_EACH_PART {
    const auto low =
        fused_in_double(hn::LowerHalf(half, a.part[k]), hn::LowerHalf(half, b.part[k]), hn::LowerHalf(half, c.part[k]));
    const auto high =
        fused_in_double(hn::UpperHalf(half, a.part[k]), hn::UpperHalf(half, b.part[k]), hn::UpperHalf(half, c.part[k]));
    r.part[k] = hn::Combine(Floats(), high, low);
  }
  return r;
}
#else
// a*b + c, rounded once.
HWY_INLINE Group fma(const Group& a, const Group& b, const Group& c) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::MulAdd(a.part[k], b.part[k], c.part[k]);
  return r;
}
#endif

// Sum over the 16 lanes in a fixed tree: halves are added onto each other, 16 → 8 → 4 → 2 → 1.
HWY_INLINE float sum_lanes(const Group& a) {
  const hn::FixedTag<float, 4> four;
#if HWY_CAP_GE512
  const hn::FixedTag<float, 8> eight;
  const auto v = hn::Add(hn::LowerHalf(eight, a.part[0]), hn::UpperHalf(eight, a.part[0]));
  auto folded = hn::Add(hn::LowerHalf(four, v), hn::UpperHalf(four, v));
#elif HWY_CAP_GE256
  const auto v = hn::Add(a.part[0], a.part[1]);
  auto folded = hn::Add(hn::LowerHalf(four, v), hn::UpperHalf(four, v));
#else
  static_assert(hn::MaxLanes(four) == kPart);
  auto folded = hn::Add(hn::Add(a.part[0], a.part[2]), hn::Add(a.part[1], a.part[3]));
#endif
  folded = hn::Add(folded, hn::Shuffle1032(folded));
  folded = hn::Add(folded, hn::Shuffle2301(folded));
  return hn::GetLane(folded);
}

// to[i] += sum_lanes(groups[i]) for four groups in memory: the same tree, four at a time.
HWY_INLINE void add_lane_sums(const float* groups, float* to) {
  const hn::FixedTag<float, 4> four;
  const auto quarter = [&](int i) HWY_ATTR {
    const float* g = groups + i * kLanes;
    return hn::Add(hn::Add(hn::LoadU(four, g), hn::LoadU(four, g + 8)),
                   hn::Add(hn::LoadU(four, g + 4), hn::LoadU(four, g + 12)));
  };
  const auto halves = [&](auto a, auto b) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(four, b, a), hn::ConcatUpperUpper(four, b, a));
  };
  const auto ab = halves(quarter(0), quarter(1)), cd = halves(quarter(2), quarter(3));
  const auto sums = hn::Add(hn::ConcatEven(four, cd, ab), hn::ConcatOdd(four, cd, ab));
  hn::StoreU(hn::Add(hn::LoadU(four, to), sums), four, to);
}

// 1 where a >= b, else 0.
HWY_INLINE Group at_least(const Group& a, const Group& b) {
  Group r;
  ATTO_EACH_PART r.part[k] = hn::IfThenElseZero(hn::Ge(a.part[k], b.part[k]), hn::Set(Floats(), 1.0f));
  return r;
}

// Softmax is taken to base 2, e^x = 2^(x log2 e): the scores are scaled anyway, and x is then split without rounding.
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2 = 0.693147181f;

// 2^x, relative error below 1.6e-7, exact for whole x up to 127; beyond that it is infinite or more than 2^127. Below
// -126 it is 0 while denormals count as zero (kernels/simd/denormals.h); NaN stays NaN. x = n + r with n whole and |r|
// <= 1/2, without rounding; a polynomial of degree 5 that is 1 at 0 gives 2^r. Degree 6 would halve the error and cost
// a tenth of the time of a softmax.
//
// Several at once are computed step by step side by side: one alone would wait for its own polynomial, and processors
// do not look far enough ahead to fill that time with the next.
template <int kCount>
ATTO_SHORT void powers_of_two(const Group (&x)[kCount], Group (&p)[kCount]) {
  Group r[kCount];
#if HWY_TARGET <= HWY_AVX3
  // The remainder of rounding is one instruction here, and so is scaling by 2^n.
  ATTO_UNROLLED for (int i = 0; i < kCount; ++i) r[i].part[0].raw =
      _mm512_reduce_ps(x[i].part[0].raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  Group whole[kCount];
  ATTO_UNROLLED for (int i = 0; i < kCount; ++i) {
    // x second, so that NaN stays NaN. At -127 the exponent field is 0, and so the power; at 128 it is that of
    // infinity.
    const Group in = minimum(broadcast(128.0f), maximum(broadcast(-127.0f), x[i]));
    ATTO_EACH_PART whole[i].part[k] = hn::Round(in.part[k]);
    r[i] = in - whole[i];
  }
#endif
  constexpr float kCoefficients[] = {9.671513e-3f, 5.5507332e-2f, 0.24022245f, 0.693147f, 1.0f};
  ATTO_UNROLLED for (int i = 0; i < kCount; ++i) p[i] = broadcast(1.3264728e-3f);
  ATTO_UNROLLED for (const float coefficient : kCoefficients) {
    ATTO_UNROLLED for (int i = 0; i < kCount; ++i) p[i] = fma(p[i], r[i], broadcast(coefficient));
  }
#if HWY_TARGET <= HWY_AVX3
  ATTO_UNROLLED for (int i = 0; i < kCount; ++i) p[i].part[0].raw =
      _mm512_scalef_ps(p[i].part[0].raw, (x[i] - r[i]).part[0].raw);
#else
  ATTO_UNROLLED for (int i = 0; i < kCount; ++i) {
    // Adding 1.5·2^23 + 127 leaves the exponent field of 2^n in the low bits.
    const Group shifted = whole[i] + broadcast(12582912.0f + 127.0f);
    ATTO_EACH_PART {
      const auto power = hn::ShiftLeft<23>(hn::BitCast(Ints(), shifted.part[k]));
      p[i].part[k] = hn::Mul(p[i].part[k], hn::BitCast(Floats(), power));
    }
  }
#endif
}
HWY_INLINE Group power_of_two(const Group& x) {
  const Group in[1] = {x};
  Group out[1];
  powers_of_two(in, out);
  return out[0];
}

// ln x for normal x > 0, absolute error below 1e-7 + 1e-7·|ln x|; NaN stays NaN. x = 2^e m with m in [√½, √2); a
// polynomial gives ln m.
ATTO_SHORT Group logarithm(const Group& x) {
  const Floats f;
  const Ints i;
  Group m, e;
  ATTO_EACH_PART {
    const auto bits = hn::BitCast(i, x.part[k]);
    // Offsetting by the bits of √½ makes the exponent field step at √½ and not at 1.
    const auto offset = hn::Sub(bits, hn::Set(i, 0x3f3504f3));
    const auto exponent = hn::ShiftRight<23>(offset);
    e.part[k] = hn::ConvertTo(f, exponent);
    m.part[k] = hn::BitCast(f, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  }
  const Group t = m - broadcast(1.0f);
  Group q = broadcast(-0.07634492963552475f);
  q = fma(q, t, broadcast(0.12761574983596802f));
  q = fma(q, t, broadcast(-0.13160182535648346f));
  q = fma(q, t, broadcast(0.14201758801937103f));
  q = fma(q, t, broadcast(-0.16623356938362122f));
  q = fma(q, t, broadcast(0.20001226663589478f));
  q = fma(q, t, broadcast(-0.2500081956386566f));
  q = fma(q, t, broadcast(0.3333333134651184f));
  const Group t2 = t * t;
  Group r = fma(q, t2 * t, fma(t2, broadcast(-0.5f), t));
  return fma(e, broadcast(kLn2), r) + x * zero();  // + 0: the bits of a NaN would pass for a large number
}

// Softmax to base 2 over `count` rows of scores whose maximum per lane is `highest`, in place.
HWY_INLINE void softmax_rows(float* rows, int count, size_t stride, const Group& highest) {
  Group total = zero();
  for (int j = 0; j < count; ++j) {
    const Group e = power_of_two(load(rows + j * stride) - highest);
    store(e, rows + j * stride);
    total = total + e;
  }
  const Group inverse = broadcast(1.0f) / total;
  for (int j = 0; j < count; ++j) store(load(rows + j * stride) * inverse, rows + j * stride);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// SSE4 is what old machines fall back to. Its time goes into the emulated multiply-adds, which are the calls above;
// what the optimizer saves around them is little, and took as long to compile as a faster target. SSE4 is the last
// target of a file, so this reaches no other.
#if HWY_TARGET == HWY_SSE4 && HWY_TARGET == HWY_STATIC_TARGET && HWY_COMPILER_GCC_ACTUAL && defined(__OPTIMIZE__)
#pragma GCC optimize("Og")
#endif

#endif  // include guard
