// Softmax attention of one query over J keys that are also the values, one group of samples at a time.
#include <algorithm>

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/narrow/query_attention.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// In what follows kWidth > 0 fixes D at compile time, so that the D features stay in registers; 0 reads it from the
// argument.

// Σ_f a_f b_f for rows a, b of D features.
template <int kWidth>
HWY_INLINE Group dot_rows(const float* a, const float* b, int width, size_t n) {
  Group sum = load(a) * load(b);
  const int features = kWidth > 0 ? kWidth : width;
  for (int f = 1; f < features; ++f) sum = fma(load(a + f * n), load(b + f * n), sum);
  return sum;
}

template <int kWidth>
void attend_forward_width(const float* q, const float* x, int keys, int width, float scale, float* a, float* mean,
                          int n) {
  const size_t stride = n;
  const int features = kWidth > 0 ? kWidth : width;
  const size_t key_stride = features * stride;
  const Group factor = broadcast(scale * kLog2E);
  for (int b = 0; b < n; b += kLanes) {
    // scores to base 2 and their maximum
    Group highest = broadcast(-3.4e38f);
    for (int j = 0; j < keys; ++j) {
      const Group score = dot_rows<kWidth>(q + b, x + j * key_stride + b, width, stride) * factor;
      store(score, a + j * stride + b);
      highest = maximum(score, highest);
    }
    softmax_rows(a + b, keys, stride, highest);
    if constexpr (kWidth > 0) {
      Group acc[kWidth];
      for (int f = 0; f < kWidth; ++f) acc[f] = zero();
      for (int j = 0; j < keys; ++j) {
        const Group weight = load(a + j * stride + b);
        for (int f = 0; f < kWidth; ++f) acc[f] = fma(weight, load(x + j * key_stride + f * stride + b), acc[f]);
      }
      for (int f = 0; f < kWidth; ++f) store(acc[f], mean + f * stride + b);
    } else {
      for (int f = 0; f < features; ++f) {
        Group acc = zero();
        for (int j = 0; j < keys; ++j)
          acc = fma(load(a + j * stride + b), load(x + j * key_stride + f * stride + b), acc);
        store(acc, mean + f * stride + b);
      }
    }
  }
}

template <int kWidth>
void attend_backward_width(const float* q, const float* x, const float* a, const float* dmean, int keys, int width,
                           float scale, float* da, float* dq, float* dx, bool add, int n) {
  const size_t stride = n;
  const int features = kWidth > 0 ? kWidth : width;
  const size_t key_stride = features * stride;
  const Group factor = broadcast(scale);
  for (int b = 0; b < n; b += kLanes) {
    // mean = Σ_j a_j x_j:  da_j = dmean·x_j
    // a = softmax(s):      ds_j = a_j (da_j - Σ_k a_k da_k)
    Group expected = zero();
    for (int j = 0; j < keys; ++j) {
      const Group daj = dot_rows<kWidth>(dmean + b, x + j * key_stride + b, width, stride);
      store(daj, da + j * stride + b);
      expected = fma(load(a + j * stride + b), daj, expected);
    }
    for (int j = 0; j < keys; ++j) {
      float* ds = da + j * stride + b;
      store(load(a + j * stride + b) * (load(ds) - expected) * factor, ds);
    }
    // s_j = scale · q·x_j:  dq = Σ_j scale ds_j x_j;  dx_j = scale ds_j q + a_j dmean
    constexpr int kBlock = std::max(kWidth, 1);
    for (int first = 0; first < features; first += kBlock) {
      Group acc[kBlock], qf[kBlock], dmeanf[kBlock];
      for (int f = 0; f < kBlock; ++f) {
        acc[f] = zero();
        qf[f] = load(q + (first + f) * stride + b);
        dmeanf[f] = load(dmean + (first + f) * stride + b);
      }
      for (int j = 0; j < keys; ++j) {
        const Group ds = load(da + j * stride + b);
        const Group weight = load(a + j * stride + b);
        for (int f = 0; f < kBlock; ++f) {
          const size_t at = j * key_stride + (first + f) * stride + b;
          acc[f] = fma(ds, load(x + at), acc[f]);
          const Group through_mean = add ? fma(weight, dmeanf[f], load(dx + at)) : weight * dmeanf[f];
          store(fma(ds, qf[f], through_mean), dx + at);
        }
      }
      for (int f = 0; f < kBlock; ++f) store(acc[f], dq + (first + f) * stride + b);
    }
  }
}

// Widths of the published networks beyond the narrow ones (narrow_head.cpp) get their own code.
void AttendForward(const float* q, const float* x, int keys, int width, float scale, float* a, float* mean, int n) {
  switch (width) {
    case 5:
      return attend_forward_width<5>(q, x, keys, width, scale, a, mean, n);
    case 10:
      return attend_forward_width<10>(q, x, keys, width, scale, a, mean, n);
    default:
      return attend_forward_width<0>(q, x, keys, width, scale, a, mean, n);
  }
}

void AttendBackward(const float* q, const float* x, const float* a, const float* dmean, int keys, int width,
                    float scale, float* da, float* dq, float* dx, bool add, int n) {
  switch (width) {
    case 5:
      return attend_backward_width<5>(q, x, a, dmean, keys, width, scale, da, dq, dx, add, n);
    case 10:
      return attend_backward_width<10>(q, x, a, dmean, keys, width, scale, da, dq, dx, add, n);
    default:
      return attend_backward_width<0>(q, x, a, dmean, keys, width, scale, da, dq, dx, add, n);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(AttendForward);
HWY_EXPORT(AttendBackward);

void attend_forward(const float* q, const float* x, int keys, int width, float scale, float* a, float* mean, int n) {
  HWY_DYNAMIC_DISPATCH(AttendForward)(q, x, keys, width, scale, a, mean, n);
}
void attend_backward(const float* q, const float* x, const float* a, const float* dmean, int keys, int width,
                     float scale, float* da, float* dq, float* dx, bool add, int n) {
  HWY_DYNAMIC_DISPATCH(AttendBackward)(q, x, a, dmean, keys, width, scale, da, dq, dx, add, n);
}

}  // namespace atto
#endif
