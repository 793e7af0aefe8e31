// Attention of one query by its distance to J keys, one group of samples at a time.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/narrow/distance_attention.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// In what follows kWidth > 0 fixes D at compile time; 0 reads it from the argument.

// ‖q - k‖² + start over D feature rows
template <int kWidth>
HWY_INLINE Group squared_distance(const float* q, const float* k, int width, size_t n, float start) {
  Group sum = broadcast(start);
  for (int f = 0; f < (kWidth > 0 ? kWidth : width); ++f) {
    const Group apart = load(q + f * n) - load(k + f * n);
    sum = fma(apart, apart, sum);
  }
  return sum;
}

template <int kWidth>
void forward_distance(const DistanceScore& score, const float* q, const float* k, const float* x, int keys,
                      int any_width, float* a, float* mean, int n) {
  const int width = kWidth > 0 ? kWidth : any_width;
  const size_t stride = n, key_stride = width * stride;
  for (int b = 0; b < n; b += kLanes) {
    Group highest = broadcast(-3.4e38f);  // of the scores to base 2
    for (int j = 0; j < keys; ++j) {
      const float* kj = k + j * key_stride + b;
      const Group s =
          score.inverse ? logarithm(squared_distance<kWidth>(q + b, kj, width, stride, kCoincident)) *
                              broadcast(-0.5f * score.factor * kLog2E)
                        : squared_distance<kWidth>(q + b, kj, width, stride, 0.0f) * broadcast(-score.factor * kLog2E);
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

// The gradient of the query while keys pull at it: in registers if D is known, else in memory.
template <int kWidth>
struct QueryGradient {
  HWY_INLINE QueryGradient(float* dq, int, size_t n) : to(dq), stride(n) {
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) sum[f] = zero();
  }
  HWY_INLINE void add(int f, const Group& pull) { sum[f] = sum[f] + pull; }
  HWY_INLINE void finish() const { ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) store(sum[f], to + f * stride); }

  float* to;
  size_t stride;
  Group sum[kWidth];
};
template <>
struct QueryGradient<0> {
  HWY_INLINE QueryGradient(float* dq, int width, size_t n) : to(dq), stride(n) {
    for (int f = 0; f < width; ++f) store(zero(), to + f * stride);
  }
  HWY_INLINE void add(int f, const Group& pull) { store(load(to + f * stride) + pull, to + f * stride); }
  HWY_INLINE void finish() const {}

  float* to;
  size_t stride;
};

template <int kWidth, bool kInverse, bool kAdd>
void backward_distance(const DistanceScore& score, const float* q, const float* k, const float* x, const float* a,
                       const float* dmean, int keys, int any_width, float* da, float* dq, float* dk, float* dx, int n) {
  const int width = kWidth > 0 ? kWidth : any_width;
  const size_t stride = n, key_stride = width * stride;
  for (int b = 0; b < n; b += kLanes) {
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
        store(kAdd ? fma(weight, dmeanf, load(dx + at)) : weight * dmeanf, dx + at);
      }
      store(daj, da + j * stride + b);
      expected = fma(weight, daj, expected);
    }
    QueryGradient<kWidth> query(dq + b, width, stride);
    for (int j = 0; j < keys; ++j) {
      const float* kj = k + j * key_stride + b;
      const Group ds = load(a + j * stride + b) * (load(da + j * stride + b) - expected);
      // s = -factor r²:          ds/dq = -2 factor (q - k) = -ds/dk
      // s = -(factor/2) ln r²:   ds/dq = -factor (q - k) / r² = -ds/dk
      const Group c =
          kInverse ? ds * broadcast(-score.factor) / squared_distance<kWidth>(q + b, kj, width, stride, kCoincident)
                   : ds * broadcast(-2.0f * score.factor);
      for (int f = 0; f < width; ++f) {
        const size_t at = j * key_stride + f * stride + b;
        const Group pull = c * (load(q + f * stride + b) - load(k + at));
        query.add(f, pull);
        store(kAdd ? load(dk + at) - pull : zero() - pull, dk + at);
      }
    }
    query.finish();
  }
}

void AttendDistanceForward(const DistanceScore& score, const float* q, const float* k, const float* x, int keys,
                           int width, float* a, float* mean, int n) {
  if (width == 2) forward_distance<2>(score, q, k, x, keys, width, a, mean, n);
  else forward_distance<0>(score, q, k, x, keys, width, a, mean, n);
}

void AttendDistanceBackward(const DistanceScore& score, const float* q, const float* k, const float* x, const float* a,
                            const float* dmean, int keys, int width, float* da, float* dq, float* dk, float* dx,
                            bool add, int n) {
  const auto go = [&]<int kWidth, bool kInverse>() HWY_ATTR {
    if (add) backward_distance<kWidth, kInverse, true>(score, q, k, x, a, dmean, keys, width, da, dq, dk, dx, n);
    else backward_distance<kWidth, kInverse, false>(score, q, k, x, a, dmean, keys, width, da, dq, dk, dx, n);
  };
  if (width == 2) score.inverse ? go.template operator()<2, true>() : go.template operator()<2, false>();
  else score.inverse ? go.template operator()<0, true>() : go.template operator()<0, false>();
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
