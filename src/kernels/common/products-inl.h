// Products with matrices of a few dozen entries, in blocks of results that stay in registers: what the linear maps and
// the unembedding beyond the narrow widths share.
//
// However results are cut into blocks, each of them is the same sum in the same order.
//
// Included like simd-inl.h. The two functions at the end are compiled once, in kernels/common/linear.cpp.
#if defined(ATTO_KERNELS_COMMON_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_COMMON_PRODUCTS_INL_H_
#undef ATTO_KERNELS_COMMON_PRODUCTS_INL_H_
#else
#define ATTO_KERNELS_COMMON_PRODUCTS_INL_H_
#endif

#include <algorithm>

#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// `count` things in blocks of at most `most`, all of nearly the same size, so that none is mostly empty: 10 in blocks
// of up to 5 are 5 and 5, 7 are 4 and 3.
struct Split {
  Split(int count, int most) : blocks((count + most - 1) / most), size(count / blocks), larger(count % blocks) {}

  int first(int block) const { return block * size + std::min(block, larger); }
  int length(int block) const { return size + (block < larger ? 1 : 0); }

  int blocks, size, larger;
};

// Calls go<length>(first) for a block of a split whose blocks have at most kMost.
template <int kMost, class Go>
HWY_INLINE void with_block(const Split& split, int block, const Go& go) {
  static_assert(kMost <= 5);
  const int first = split.first(block);
  switch (split.length(block)) {
    case 1:
      return go.template operator()<1>(first);
    case 2:
      if constexpr (kMost >= 2) go.template operator()<2>(first);
      return;
    case 3:
      if constexpr (kMost >= 3) go.template operator()<3>(first);
      return;
    case 4:
      if constexpr (kMost >= 4) go.template operator()<4>(first);
      return;
    default:
      if constexpr (kMost >= 5) go.template operator()<5>(first);
  }
}
template <int kMost, class Go>
HWY_INLINE void each_even_block(int count, const Go& go) {
  if (count == 0) return;
  const Split split(count, kMost);
  for (int i = 0; i < split.blocks; ++i) with_block<kMost>(split, i, go);
}

// Rows and groups of samples of a block, as many as registers last for.
inline constexpr int kMostRows = 5, kMostGroups = HWY_CAP_GE512 ? 4 : 1;

// Σ_i w[r·row_stride + i·term_stride] x_i, where rows of x are x_stride apart.
struct WeightedRows {
  const float* w;
  size_t row_stride, term_stride;
  int terms;
  const float* x;
  size_t x_stride;
};

// acc_rg += the sums of rows first .. first + kRows - 1 and of the groups from `lane` on.
template <int kRows, int kGroups>
HWY_INLINE void add_weighted(const WeightedRows& sum, int first, size_t lane, Group (&acc)[kRows][kGroups]) {
  const float* w = sum.w + static_cast<size_t>(first) * sum.row_stride;
  const float* x = sum.x + lane;
  for (int i = 0; i < sum.terms; ++i, w += sum.term_stride, x += sum.x_stride) {
    Group xi[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) xi[g] = load(x + g * kLanes);
    ATTO_UNROLLED for (int r = 0; r < kRows; ++r) {
      const Group weight = broadcast(w[r * sum.row_stride]);
      ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) acc[r][g] = fma(weight, xi[g], acc[r][g]);
    }
  }
}

// y_r[lane] = the sums of all rows, or += when `add`, for `lanes` samples.
void weighted_sums(const WeightedRows& sum, int rows, float* y, size_t y_stride, int lanes, bool add);

// dW[r][c][lane] += Σ_groups dy_r x_c
void lane_products(float* dw_lanes, int rows, int columns, const float* dy, size_t dy_stride, const float* x,
                   size_t x_stride, int lanes);

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
