// Attention of one query by its distance to J keys, one group of samples at a time.
#include "numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/distance_attention.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// ‖q - k‖² + start over D feature rows
HWY_INLINE Group squared_distance(const float* q, const float* k, int width, size_t n, float start) {
  Group sum = broadcast(start);
  for (int f = 0; f < width; ++f) {
    const Group apart = load(q + f * n) - load(k + f * n);
    sum = fma(apart, apart, sum);
  }
  return sum;
}

void AttendDistanceForward(const DistanceScore& score, const float* q, const float* k, const float* x, int keys,
                           int width, float* a, float* mean, int n) {
  const size_t stride = n, key_stride = width * stride;
  for (int b = 0; b < n; b += kGroup) {
    Group highest = broadcast(-3.4e38f);  // of the scores to base 2
    for (int j = 0; j < keys; ++j) {
      const float* kj = k + j * key_stride + b;
      const Group s = score.inverse
                          ? logarithm(squared_distance(q + b, kj, width, stride, kCoincident)) *
                                broadcast(-0.5f * score.factor * kLog2E)
                          : squared_distance(q + b, kj, width, stride, 0.0f) * broadcast(-score.factor * kLog2E);
      store(s, a + j * stride + b);
      highest = maximum(s, highest);
    }
    softmax_rows(a + b, keys, stride, highest);
    for (int f = 0; f < width; ++f) {
      Group acc = zero();
      for (int j = 0; j < keys; ++j)
        acc = fma(load(a + j * stride + b), load(x + j * key_stride + f * stride + b), acc);
      store(acc, mean + f * stride + b);
    }
  }
}

void AttendDistanceBackward(const DistanceScore& score, const float* q, const float* k, const float* x, const float* a,
                            const float* dmean, int keys, int width, float* da, float* dq, float* dk, float* dx,
                            bool add, int n) {
  const size_t stride = n, key_stride = width * stride;
  for (int b = 0; b < n; b += kGroup) {
    // mean = Σ_j a_j x_j:  da_j = dmean·x_j, dx_j = a_j dmean
    // a = softmax(s):      ds_j = a_j (da_j - Σ_k a_k da_k)
    Group expected = zero();
    for (int j = 0; j < keys; ++j) {
      const Group weight = load(a + j * stride + b);
      Group daj = zero();
      for (int f = 0; f < width; ++f) {
        const size_t at = j * key_stride + f * stride + b;
        const Group dmeanf = load(dmean + f * stride + b);
        daj = fma(dmeanf, load(x + at), daj);
        store(add ? fma(weight, dmeanf, load(dx + at)) : weight * dmeanf, dx + at);
      }
      store(daj, da + j * stride + b);
      expected = fma(weight, daj, expected);
    }
    for (int f = 0; f < width; ++f) store(zero(), dq + f * stride + b);
    for (int j = 0; j < keys; ++j) {
      const float* kj = k + j * key_stride + b;
      const Group ds = load(a + j * stride + b) * (load(da + j * stride + b) - expected);
      // s = -factor r²:          ds/dq = -2 factor (q - k) = -ds/dk
      // s = -(factor/2) ln r²:   ds/dq = -factor (q - k) / r² = -ds/dk
      const Group c = score.inverse
                          ? ds * broadcast(-score.factor) / squared_distance(q + b, kj, width, stride, kCoincident)
                          : ds * broadcast(-2.0f * score.factor);
      for (int f = 0; f < width; ++f) {
        const size_t at = j * key_stride + f * stride + b;
        const Group pull = c * (load(q + f * stride + b) - load(k + at));
        store(load(dq + f * stride + b) + pull, dq + f * stride + b);
        store(add ? load(dk + at) - pull : zero() - pull, dk + at);
      }
    }
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(AttendDistanceForward);
HWY_EXPORT(AttendDistanceBackward);

void attend_distance_forward(const DistanceScore& score, const float* q, const float* k, const float* x, int keys,
                             int width, float* a, float* mean, int n) {
  HWY_DYNAMIC_DISPATCH(AttendDistanceForward)(score, q, k, x, keys, width, a, mean, n);
}
void attend_distance_backward(const DistanceScore& score, const float* q, const float* k, const float* x,
                              const float* a, const float* dmean, int keys, int width, float* da, float* dq, float* dk,
                              float* dx, bool add, int n) {
  HWY_DYNAMIC_DISPATCH(AttendDistanceBackward)(score, q, k, x, a, dmean, keys, width, da, dq, dk, dx, add, n);
}

}  // namespace atto
#endif
