// Linear maps in the batch-innermost layout, and the lane sums of their weight gradients.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/linear.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Rows of the result computed together, so that each loaded input serves several multiply-adds.
inline constexpr int kRowBlock = 4;

// y_r = Σ_i w[r·row_stride + i·column_stride] x_i for kRows rows of y and one group of samples.
template <int kRows>
HWY_INLINE void weighted_rows(const float* w, size_t row_stride, size_t column_stride, int terms, const float* x,
                              float* y, size_t n, bool add) {
  Group acc[kRows];
  for (int r = 0; r < kRows; ++r) acc[r] = add ? load(y + r * n) : zero();
  for (int i = 0; i < terms; ++i) {
    const Group xi = load(x + i * n);
    const float* wi = w + i * column_stride;
    for (int r = 0; r < kRows; ++r) acc[r] = fma(broadcast(wi[r * row_stride]), xi, acc[r]);
  }
  for (int r = 0; r < kRows; ++r) store(acc[r], y + r * n);
}

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

void WeightedSums(const float* w, size_t row_stride, size_t column_stride, int rows, int terms, const float* x,
                  float* y, int n, bool add) {
  const size_t stride = n;
  if (rows == 2 && terms == 2) return narrow_sums<2>(w, row_stride, column_stride, x, y, stride, add);
  for (int b = 0; b < n; b += kLanes) {
    int r = 0;
    for (; r + kRowBlock <= rows; r += kRowBlock) {
      const size_t at = r;
      weighted_rows<kRowBlock>(w + at * row_stride, row_stride, column_stride, terms, x + b, y + at * stride + b,
                               stride, add);
    }
    for (; r + 2 <= rows; r += 2) {
      const size_t at = r;
      weighted_rows<2>(w + at * row_stride, row_stride, column_stride, terms, x + b, y + at * stride + b, stride, add);
    }
    for (; r < rows; ++r) {
      const size_t at = r;
      weighted_rows<1>(w + at * row_stride, row_stride, column_stride, terms, x + b, y + at * stride + b, stride, add);
    }
  }
}

// dW[o][i][lane] += Σ_groups dy[o] x[i], with kColumns values of i kept in registers over all groups.
template <int kColumns>
HWY_INLINE void outer_columns(float* dw_lanes, const float* dy, const float* x, int n) {
  Group acc[kColumns];
  for (int c = 0; c < kColumns; ++c) acc[c] = load(dw_lanes + c * kLanes);
  for (int b = 0; b < n; b += kLanes) {
    const Group d = load(dy + b);
    for (int c = 0; c < kColumns; ++c) acc[c] = fma(d, load(x + static_cast<size_t>(c) * n + b), acc[c]);
  }
  for (int c = 0; c < kColumns; ++c) store(acc[c], dw_lanes + c * kLanes);
}

void LinearWeightBackward(float* dw_lanes, int out, int in, const float* dy, const float* x, int n) {
  const size_t stride = n;
  for (int o = 0; o < out; ++o) {
    const float* dyo = dy + o * stride;
    float* row = dw_lanes + static_cast<size_t>(o) * in * kLanes;
    int i = 0;
    for (; i + 4 <= in; i += 4) outer_columns<4>(row + i * kLanes, dyo, x + i * stride, n);
    for (; i + 2 <= in; i += 2) outer_columns<2>(row + i * kLanes, dyo, x + i * stride, n);
    for (; i < in; ++i) outer_columns<1>(row + i * kLanes, dyo, x + i * stride, n);
  }
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
  int o = 0;
  for (; o + kRowBlock <= out; o += kRowBlock)
    outer_rows<kRowBlock>(dw + static_cast<size_t>(o) * in, in, dy + static_cast<size_t>(o) * n, x, stride, n);
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
