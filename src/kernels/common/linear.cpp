// Linear maps in the batch-innermost layout, and the lane sums of their weight gradients.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/linear.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/common/products-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// All of a product with a square matrix of a narrow network: weights and terms stay in registers.
template <int kWidth>
void narrow_sums(const float* w, size_t row_stride, size_t column_stride, const float* x, float* y, size_t n,
                 bool add) {
  Group weight[kWidth][kWidth];
  ATTO_UNROLLED for (int r = 0; r < kWidth; ++r) {
    ATTO_UNROLLED for (int i = 0; i < kWidth; ++i) weight[r][i] = broadcast(w[r * row_stride + i * column_stride]);
  }
  for (size_t b = 0; b < n; b += kLanes) {
    Group xi[kWidth];
    ATTO_UNROLLED for (int i = 0; i < kWidth; ++i) xi[i] = load(x + i * n + b);
    ATTO_UNROLLED for (int r = 0; r < kWidth; ++r) {
      Group sum = add ? load(y + r * n + b) : zero();
      ATTO_UNROLLED for (int i = 0; i < kWidth; ++i) sum = fma(weight[r][i], xi[i], sum);
      store(sum, y + r * n + b);
    }
  }
}

template <int kRows, int kGroups>
HWY_NOINLINE void weighted_block(const WeightedRows& sum, int first, float* y, size_t y_stride, size_t lane, bool add) {
  float* to = y + static_cast<size_t>(first) * y_stride + lane;
  Group acc[kRows][kGroups];
  ATTO_UNROLLED for (int r = 0; r < kRows; ++r) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) acc[r][g] = add ? load(to + r * y_stride + g * kLanes) : zero();
  }
  add_weighted(sum, first, lane, acc);
  ATTO_UNROLLED for (int r = 0; r < kRows; ++r) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) store(acc[r][g], to + r * y_stride + g * kLanes);
  }
}

void weighted_sums(const WeightedRows& sum, int rows, float* y, size_t y_stride, int lanes, bool add) {
  each_even_block<kMostGroups>(lanes / kLanes, [&]<int kGroups>(int group) HWY_ATTR {
    const size_t lane = static_cast<size_t>(group) * kLanes;
    each_even_block<kMostRows>(rows, [&]<int kRows>(int first) HWY_ATTR {
      weighted_block<kRows, kGroups>(sum, first, y, y_stride, lane, add);
    });
  });
}

void WeightedSums(const float* w, size_t row_stride, size_t column_stride, int rows, int terms, const float* x,
                  float* y, int n, bool add) {
  const size_t stride = n;
  if (rows == 2 && terms == 2) return narrow_sums<2>(w, row_stride, column_stride, x, y, stride, add);
  weighted_sums({w, row_stride, column_stride, terms, x, stride}, rows, y, stride, n, add);
}

// kRows × kColumns lane sums, in registers over all groups.
template <int kRows, int kColumns>
HWY_NOINLINE void lane_block(float* dw_lanes, int columns, const float* dy, size_t dy_stride, const float* x,
                             size_t x_stride, int lanes) {
  Group acc[kRows][kColumns];
  const size_t row_lanes = static_cast<size_t>(columns) * kLanes;
  ATTO_UNROLLED for (int r = 0; r < kRows; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumns; ++c) acc[r][c] = load(dw_lanes + r * row_lanes + c * kLanes);
  }
  for (int b = 0; b < lanes; b += kLanes) {
    Group d[kRows];
    ATTO_UNROLLED for (int r = 0; r < kRows; ++r) d[r] = load(dy + r * dy_stride + b);
    ATTO_UNROLLED for (int c = 0; c < kColumns; ++c) {
      const Group xc = load(x + c * x_stride + b);
      ATTO_UNROLLED for (int r = 0; r < kRows; ++r) acc[r][c] = fma(d[r], xc, acc[r][c]);
    }
  }
  ATTO_UNROLLED for (int r = 0; r < kRows; ++r) {
    ATTO_UNROLLED for (int c = 0; c < kColumns; ++c) store(acc[r][c], dw_lanes + r * row_lanes + c * kLanes);
  }
}

void lane_products(float* dw_lanes, int rows, int columns, const float* dy, size_t dy_stride, const float* x,
                   size_t x_stride, int lanes) {
  constexpr int kRows = HWY_CAP_GE512 ? 4 : 1;
  const auto block = [&]<int kTogether>(int row) HWY_ATTR {
    float* to = dw_lanes + static_cast<size_t>(row) * columns * kLanes;
    each_even_block<kMostRows>(columns, [&]<int kColumns>(int first) HWY_ATTR {
      lane_block<kTogether, kColumns>(to + first * kLanes, columns, dy + row * dy_stride, dy_stride,
                                      x + first * x_stride, x_stride, lanes);
    });
  };
  int row = 0;
  for (; row + kRows <= rows; row += kRows) block.template operator()<kRows>(row);
  for (; row < rows; ++row) block.template operator()<1>(row);
}

void LinearWeightBackward(float* dw_lanes, int out, int in, const float* dy, const float* x, int n) {
  const size_t stride = n;
  lane_products(dw_lanes, out, in, dy, stride, x, stride, n);
}

// kRows × kGroups groups of dW at a time, in registers over all samples; `tail` floats of the last group count.
template <int kRows, int kGroups>
HWY_INLINE void outer_block(float* dw, int in, const float* dy, const float* x, size_t stride, int n, int tail) {
  Group acc[kRows][kGroups];
  for (int r = 0; r < kRows; ++r)
    for (int g = 0; g < kGroups; ++g) acc[r][g] = zero();
  for (int b = 0; b < n; ++b) {
    Group xg[kGroups];
    for (int g = 0; g < kGroups; ++g) xg[g] = load(x + b * stride + g * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const Group d = broadcast(dy[static_cast<size_t>(r) * n + b]);
      for (int g = 0; g < kGroups; ++g) acc[r][g] = fma(d, xg[g], acc[r][g]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* row = dw + static_cast<size_t>(r) * in;
    for (int g = 0; g < kGroups; ++g) {
      if (g + 1 < kGroups || tail == kLanes) {
        store(acc[r][g], row + g * kLanes);
      } else {
        HWY_ALIGN float last[kLanes];
        store(acc[r][g], last);
        for (int i = 0; i < tail; ++i) row[g * kLanes + i] = last[i];
      }
    }
  }
}

template <int kRows>
HWY_INLINE void outer_rows(float* dw, int in, const float* dy, const float* x, size_t stride, int n) {
  constexpr int kGroups = HWY_CAP_GE512 ? 4 : 1;
  int i = 0;
  for (; i + kGroups * kLanes <= in; i += kGroups * kLanes)
    outer_block<kRows, kGroups>(dw + i, in, dy, x + i, stride, n, kLanes);
  for (; i < in; i += kLanes)
    outer_block<kRows, 1>(dw + i, in, dy, x + i, stride, n, in - i < kLanes ? in - i : kLanes);
}

void OuterProducts(float* dw, int out, int in, const float* dy, const float* x, size_t stride, int n) {
  constexpr int kRows = 4;  // each loaded input serves so many multiply-adds
  int o = 0;
  for (; o + kRows <= out; o += kRows)
    outer_rows<kRows>(dw + static_cast<size_t>(o) * in, in, dy + static_cast<size_t>(o) * n, x, stride, n);
  for (; o < out; ++o)
    outer_rows<1>(dw + static_cast<size_t>(o) * in, in, dy + static_cast<size_t>(o) * n, x, stride, n);
}

void SumLaneGradients(float* dw_lanes, const LaneRange* ranges, size_t range_count, float* dw) {
  for (const LaneRange* range = ranges; range != ranges + range_count; ++range) {
    float *lanes = dw_lanes + range->sum * kLanes, *to = dw + range->weight;
    size_t i = 0;
    for (; i + 4 <= range->count; i += 4) {
      float* four = lanes + i * kLanes;
      add_lane_sums(four, to + i);
      for (int k = 0; k < 4; ++k) store(zero(), four + k * kLanes);
    }
    for (; i < range->count; ++i) {
      to[i] += sum_lanes(load(lanes + i * kLanes));
      store(zero(), lanes + i * kLanes);
    }
  }
}

void AddBiasForward(const float* bias, int width, float* x, int n) {
  for (int f = 0; f < width; ++f) {
    const Group shift = broadcast(bias[f]);
    float* row = x + static_cast<size_t>(f) * n;
    for (int b = 0; b < n; b += kLanes) store(load(row + b) + shift, row + b);
  }
}

void AddBiasBackward(float* dbias_lanes, int width, const float* dx, int n) {
  for (int f = 0; f < width; ++f) {
    const float* row = dx + static_cast<size_t>(f) * n;
    Group acc = load(dbias_lanes + f * kLanes);
    for (int b = 0; b < n; b += kLanes) acc = acc + load(row + b);
    store(acc, dbias_lanes + f * kLanes);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(WeightedSums);
HWY_EXPORT(LinearWeightBackward);
HWY_EXPORT(OuterProducts);
HWY_EXPORT(SumLaneGradients);
HWY_EXPORT(AddBiasForward);
HWY_EXPORT(AddBiasBackward);

void linear_forward(const float* w, int out, int in, const float* x, float* y, int n) {
  HWY_DYNAMIC_DISPATCH(WeightedSums)(w, in, 1, out, in, x, y, n, false);
}
void transposed_forward(const float* w, int out, int in, const float* x, float* y, int n, bool add) {
  HWY_DYNAMIC_DISPATCH(WeightedSums)(w, 1, in, in, out, x, y, n, add);
}
void linear_weight_backward(float* dw_lanes, int out, int in, const float* dy, const float* x, int n) {
  HWY_DYNAMIC_DISPATCH(LinearWeightBackward)(dw_lanes, out, in, dy, x, n);
}
void outer_products(float* dw, int out, int in, const float* dy, const float* x, size_t stride, int n) {
  HWY_DYNAMIC_DISPATCH(OuterProducts)(dw, out, in, dy, x, stride, n);
}
void sum_lane_gradients(float* dw_lanes, const LaneRange* ranges, size_t range_count, float* dw) {
  HWY_DYNAMIC_DISPATCH(SumLaneGradients)(dw_lanes, ranges, range_count, dw);
}
void add_bias_forward(const float* bias, int width, float* x, int n) {
  HWY_DYNAMIC_DISPATCH(AddBiasForward)(bias, width, x, n);
}
void add_bias_backward(float* dbias_lanes, int width, const float* dx, int n) {
  HWY_DYNAMIC_DISPATCH(AddBiasBackward)(dbias_lanes, width, dx, n);
}

}  // namespace atto
#endif
