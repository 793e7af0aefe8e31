// Lookups in a small table of scalars, a lane each: table[V][D] is turned over once, and a column of it held in
// registers answers a whole group of lanes by permutations: up to 128 entries on AVX-512, up to 16 on AVX2. Other
// tables, and other targets, have no such columns.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_COMMON_REGISTER_LOOKUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_COMMON_REGISTER_LOOKUP_INL_H_
#undef ATTO_KERNELS_COMMON_REGISTER_LOOKUP_INL_H_
#else
#define ATTO_KERNELS_COMMON_REGISTER_LOOKUP_INL_H_
#endif

#include <algorithm>

#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Entries that are held in registers at most, and those whose lookup takes so few permutations that nothing is faster.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kMostPermuted = 128, kFewPermuted = 64;
#elif HWY_TARGET == HWY_AVX2
inline constexpr int kMostPermuted = 16, kFewPermuted = 16;
#else
inline constexpr int kMostPermuted = 0, kFewPermuted = 0;
#endif

// The indices of a group of lanes.
struct Indices {
  hn::Vec<Ints> part[kParts];
};
HWY_INLINE Indices load_indices(const int32_t* from) {
  Indices r;
  ATTO_EACH_PART r.part[k] = hn::LoadU(Ints(), from + k * kPart);
  return r;
}

// One column of table[entries][stride], for lookups by gathering.
struct GatheredColumn {
  GatheredColumn(const float* table, int, int stride) : from(table), step(stride) {}

  HWY_INLINE Group operator()(const Indices& index) const {
    Group r;
    ATTO_EACH_PART r.part[k] = hn::GatherIndex(Floats(), from, hn::Mul(index.part[k], hn::Set(Ints(), step)));
    return r;
  }

  const float* from;
  int step;
};

#if HWY_TARGET <= HWY_AVX3
// The same, held in kRegisters registers of 16 entries: 1, 2, 4 or 8.
template <int kRegisters>
struct PermutedColumn {
  // Nothing outside the table is read.
  PermutedColumn(const float* table, int entries, int stride) {
    if (stride == 2) {
      hold_pairs(table, entries);
      return;
    }
    for (int i = 0; i < kRegisters; ++i) {
      // Entries past the last repeat it.
      const auto entry = hn::Min(hn::Iota(Ints(), i * kLanes), hn::Set(Ints(), entries - 1));
      held[i] = hn::GatherIndex(Floats(), table, hn::Mul(entry, hn::Set(Ints(), stride)));
    }
  }

  HWY_INLINE Group operator()(const Indices& index) const {
    const __m512i i = index.part[0].raw;
    Group r;
    if constexpr (kRegisters == 1) {
      r.part[0].raw = _mm512_permutexvar_ps(i, held[0].raw);
    } else {
      __m512 found[kRegisters / 2];  // by the low five bits
      for (int k = 0; k < kRegisters / 2; ++k)
        found[k] = _mm512_permutex2var_ps(held[2 * k].raw, i, held[2 * k + 1].raw);
      if constexpr (kRegisters >= 4) {
        const __mmask16 bit5 = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
        for (int k = 0; k < kRegisters / 4; ++k) found[k] = _mm512_mask_blend_ps(bit5, found[2 * k], found[2 * k + 1]);
      }
      if constexpr (kRegisters == 8) {
        const __mmask16 bit6 = _mm512_test_epi32_mask(i, _mm512_set1_epi32(64));
        found[0] = _mm512_mask_blend_ps(bit6, found[0], found[1]);
      }
      r.part[0].raw = found[0];
    }
    return r;
  }

  // The even numbers of a row of pairs: loads are cheaper than gathering.
  void hold_pairs(const float* pairs, int entries) {
    const __m512i even = _mm512_slli_epi32(hn::Iota(Ints(), 0).raw, 1);
    const auto some = [&](int at) HWY_ATTR {  // of the 2·entries - 1 numbers up to the last even one
      const int left = std::clamp(2 * entries - 1 - at, 0, kLanes);
      return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << left) - 1), pairs + (left > 0 ? at : 0));
    };
    for (int i = 0; i < kRegisters; ++i)
      held[i].raw = _mm512_permutex2var_ps(some(2 * i * kLanes), even, some((2 * i + 1) * kLanes));
  }

  hn::Vec<Floats> held[kRegisters];
};
#elif HWY_TARGET == HWY_AVX2
// The same, held in kRegisters registers of 8 entries: 1 or 2.
template <int kRegisters>
struct PermutedColumn {
  // Nothing outside the table is read: entries past the last repeat it.
  PermutedColumn(const float* table, int entries, int stride) {
    HWY_ALIGN float column[kRegisters * kPart];
    for (int i = 0; i < kRegisters * kPart; ++i) column[i] = table[std::min(i, entries - 1) * stride];
    for (int i = 0; i < kRegisters; ++i) held[i] = hn::Load(Floats(), column + i * kPart);
  }

  HWY_INLINE Group operator()(const Indices& index) const {
    Group r;
    ATTO_EACH_PART {
      const __m256i i = index.part[k].raw;
      r.part[k].raw = _mm256_permutevar8x32_ps(held[0].raw, i);
      if constexpr (kRegisters == 2) {
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(i, 28));  // where a blend looks for it
        r.part[k].raw = _mm256_blendv_ps(r.part[k].raw, _mm256_permutevar8x32_ps(held[1].raw, i), bit3);
      }
    }
    return r;
  }

  hn::Vec<Floats> held[kRegisters];
};
#endif

// Calls go<Column>() with the kind of column that serves `entries` best.
template <class Go>
HWY_INLINE void with_columns([[maybe_unused]] int entries, const Go& go) {
#if HWY_TARGET <= HWY_AVX3
  if (entries <= 16) return go.template operator()<PermutedColumn<1>>();
  if (entries <= 32) return go.template operator()<PermutedColumn<2>>();
  if (entries <= 64) return go.template operator()<PermutedColumn<4>>();
  if (entries <= kMostPermuted) return go.template operator()<PermutedColumn<8>>();
#elif HWY_TARGET == HWY_AVX2
  if (entries <= 8) return go.template operator()<PermutedColumn<1>>();
  if (entries <= kMostPermuted) return go.template operator()<PermutedColumn<2>>();
#endif
  go.template operator()<GatheredColumn>();
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
