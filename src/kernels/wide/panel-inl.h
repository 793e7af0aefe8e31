// Products of rows that are both activations: out[r][c] = Σ_t a[r][t] b[c][t], each term a group of lanes.
//
// Some columns of b are packed into a panel, contiguous and small enough for the first-level cache, and rows of a
// stream past it: activations lie whole powers of two apart, so that unpacked ones would evict each other.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_WIDE_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_WIDE_PANEL_INL_H_
#undef ATTO_KERNELS_WIDE_PANEL_INL_H_
#else
#define ATTO_KERNELS_WIDE_PANEL_INL_H_
#endif

#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Of a block in registers; the panel has as many columns. With two or more registers a group and an instruction for
// multiply-adds, a block is computed one register of each group after the other, so that more of them meet.
inline constexpr bool kByParts = kParts > 1 && kGroupsHeld == 8;
inline constexpr int kPanelRows = HWY_CAP_GE512 || kByParts ? 4 : 1;
inline constexpr int kPanelColumns = HWY_CAP_GE512 ? 6 : kByParts ? 3 : 4;
// Terms of a panel, the same on every target: chunks of so many terms may decide the order of a sum.
inline constexpr int kPanelTerms = 64;
inline constexpr int kPanelFloats = kPanelTerms * kPanelColumns * kLanes;

// The terms of a sum lie in `outer` runs of `inner` each.
struct Terms {
  int outer;
  size_t outer_stride;
  int inner;
  size_t inner_stride;
};

// Calls go<k>(first) for blocks of k = kSizes... each, largest first, that make up `count`; the last size is 1.
template <int kSize, int... kSmaller, class Go>
HWY_INLINE void each_block(int count, const Go& go, int first = 0) {
  for (; first + kSize <= count; first += kSize) go.template operator()<kSize>(first);
  if constexpr (sizeof...(kSmaller) > 0) each_block<kSmaller...>(count, go, first);
}

// The same for blocks of kRows rows where weights are broadcast; no block is short if it can be helped.
template <int kRows, class Go>
HWY_INLINE void each_block_of_rows(int rows, const Go& go) {
  static_assert(kRows == 12 || kRows == 6 || kRows == 4);
  if constexpr (kRows == 12) {
    int whole = rows / 12 * 12;
    if (rows % 12 == 4 && whole > 0) whole -= 12;  // 12 + 4 as 8 + 8
    each_block<12>(whole, go);
    each_block<8, 4, 2, 1>(rows, go, whole);
  } else if constexpr (kRows == 6) {
    int whole = rows / 6 * 6;
    const int left = rows - whole;
    if (whole > 0 && (left == 1 || left == 2 || left == 5)) whole -= 6;  // 6 + 2 as 4 + 4, 6 + 1 as 4 + 3
    each_block<6>(whole, go);
    each_block<4, 3, 2, 1>(rows, go, whole);
  } else {
    each_block<4, 2, 1>(rows, go);
  }
}

// Calls go<k>(row) for blocks of k rows that make up `count`, and go<k>(column) likewise.
template <class Go>
HWY_INLINE void each_row_block(int count, const Go& go, int first = 0) {
  if constexpr (kPanelRows == 4) each_block<4, 2, 1>(count, go, first);
  else each_block<1>(count, go, first);
}
template <class Go>
HWY_INLINE void each_column_block(int count, const Go& go, int first = 0) {
  if constexpr (kPanelColumns == 6) each_block<6, 4, 2, 1>(count, go, first);
  else if constexpr (kPanelColumns == 3) each_block<3, 2, 1>(count, go, first);
  else each_block<4, 2, 1>(count, go, first);
}

// Stores each 4 lanes of v, in order, `stride` apart.
template <class D>
HWY_INLINE void store_fours(D d, hn::Vec<D> v, float* to, size_t stride) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_fours(half, hn::LowerHalf(half, v), to, stride);
    store_fours(half, hn::UpperHalf(half, v), to + hn::MaxLanes(half) / 4 * stride, stride);
  }
}

// to[l · stride + r] = from[r · row + l] for 4 rows and kLanes lanes; rows from `rows` on are 0 and not read.
HWY_INLINE void transpose_fours(const float* from, size_t row, float* to, size_t stride, int rows = 4) {
  const Floats d;
  const hn::Repartition<double, Floats> pairs;
  for (int k = 0; k < kParts; ++k) {
    const auto at = [&](int r) HWY_ATTR { return r < rows ? hn::LoadU(d, from + r * row + k * kPart) : hn::Zero(d); };
    const auto low = [&](auto a, auto b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveLower(d, a, b)); };
    const auto high = [&](auto a, auto b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)); };
    const auto r0 = at(0), r1 = at(1), r2 = at(2), r3 = at(3);
    const auto l01 = low(r0, r1), l23 = low(r2, r3), h01 = high(r0, r1), h23 = high(r2, r3);
    float* lane = to + k * kPart * stride;
    const auto put = [&](int l, auto v) HWY_ATTR { store_fours(d, hn::BitCast(d, v), lane + l * stride, 4 * stride); };
    put(0, hn::InterleaveLower(pairs, l01, l23));
    put(1, hn::InterleaveUpper(pairs, l01, l23));
    put(2, hn::InterleaveLower(pairs, h01, h23));
    put(3, hn::InterleaveUpper(pairs, h01, h23));
  }
}

// panel[t][c] = b[c][t]
template <int kColumnCount>
HWY_NOINLINE void pack_panel(const float* b, size_t column, const Terms& terms, float* panel) {
  for (int outer = 0; outer < terms.outer; ++outer) {
    for (int inner = 0; inner < terms.inner; ++inner) {
      const float* from = b + outer * terms.outer_stride + inner * terms.inner_stride;
      for (int c = 0; c < kColumnCount; ++c) store(load(from + c * column), panel + c * kLanes);
      panel += kColumnCount * kLanes;
    }
  }
}

// The same for one register of each group.
template <int kRowCount, int kColumnCount>
HWY_INLINE void multiply_part(const float* a, size_t row, size_t term, int terms, const float* panel, float* out,
                              size_t out_row, size_t out_column, bool from_zero) {
  const Floats d;
  hn::Vec<Floats> acc[kRowCount][kColumnCount];
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) {
      acc[r][c] = from_zero ? hn::Zero(d) : hn::LoadU(d, out + r * out_row + c * out_column);
    }
  }
  for (int t = 0; t < terms; ++t) {
    hn::Vec<Floats> b[kColumnCount];
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) b[c] = hn::LoadU(d, panel + c * kLanes);
    ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
      const auto ar = hn::LoadU(d, a + r * row);
      ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) acc[r][c] = hn::MulAdd(ar, b[c], acc[r][c]);
    }
    a += term;
    panel += kColumnCount * kLanes;
  }
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) {
      hn::StoreU(acc[r][c], d, out + r * out_row + c * out_column);
    }
  }
}

// out[r][c] += Σ_t a[r][t] panel[t][c]; `from_zero` takes the old ones as 0. A function of its own, so that nothing
// else competes for registers.
template <int kRowCount, int kColumnCount>
HWY_NOINLINE void multiply_panel(const float* a, size_t row, size_t term, int terms, const float* panel, float* out,
                                 size_t out_row, size_t out_column, bool from_zero) {
  if constexpr (kByParts) {
    for (int k = 0; k < kLanes; k += kPart)
      multiply_part<kRowCount, kColumnCount>(a + k, row, term, terms, panel + k, out + k, out_row, out_column,
                                             from_zero);
    return;
  }
  Group acc[kRowCount][kColumnCount];
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) {
      acc[r][c] = from_zero ? zero() : load(out + r * out_row + c * out_column);
    }
  }
  for (int t = 0; t < terms; ++t) {
    Group ar[kRowCount];
    ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) ar[r] = load(a + r * row);
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) {
      const Group b = load(panel + c * kLanes);
      ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) acc[r][c] = fma(ar[r], b, acc[r][c]);
    }
    a += term;
    panel += kColumnCount * kLanes;
  }
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumnCount; ++c) store(acc[r][c], out + r * out_row + c * out_column);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
