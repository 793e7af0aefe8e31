// Softmax attention of one query over J keys that are also the values, one group of samples at a time.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/narrow/query_attention.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/common/products-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Features of a query that stay in registers while the keys pass by; wider ones go through the keys block by block. Of
// 100 keys such a block is what fits the first-level cache, so a second pass takes the blocks the other way round and
// finds the last one still there.
inline constexpr int kMostFeatures = 5;
inline constexpr int kMostSlopes = HWY_CAP_GE512 ? 5 : 2;  // of those with three rows each in registers

// The J keys of a group of samples.
struct Keys {
  const float* x;
  int count, width;
  size_t n;

  HWY_INLINE const float* row(int j, int f) const { return x + (static_cast<size_t>(j) * width + f) * n; }
};

// sums[j] = q·x_j over kFeatures features, or those added to what it holds, feature by feature.
template <int kFeatures, bool kStart>
HWY_INLINE void dot_block(const Keys& keys, const float* q, int first, float* sums) {
  Group qf[kFeatures];
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) qf[f] = load(q + (first + f) * keys.n);
  for (int j = 0; j < keys.count; ++j) {
    const float* x = keys.row(j, first);
    float* to = sums + j * keys.n;
    Group sum = kStart ? qf[0] * load(x) : fma(qf[0], load(x), load(to));
    ATTO_UNROLLED for (int f = 1; f < kFeatures; ++f) sum = fma(qf[f], load(x + f * keys.n), sum);
    store(sum, to);
  }
}
HWY_INLINE void dot_keys(const Keys& keys, const float* q, float* sums) {
  each_even_block<kMostFeatures>(keys.width, [&]<int kFeatures>(int first) HWY_ATTR {
    if (first == 0) dot_block<kFeatures, true>(keys, q, first, sums);
    else dot_block<kFeatures, false>(keys, q, first, sums);
  });
}
// Calls go<features>(first) for the blocks of features, the last one first.
template <int kMost, class Go>
HWY_INLINE void each_block_back(int width, const Go& go) {
  const Split split(width, kMost);
  for (int i = split.blocks - 1; i >= 0; --i) with_block<kMost>(split, i, go);
}

// mean_f = Σ_j a_j x_jf
template <int kFeatures>
HWY_INLINE void mean_block(const Keys& keys, const float* a, int first, float* mean) {
  Group acc[kFeatures];
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) acc[f] = zero();
  for (int j = 0; j < keys.count; ++j) {
    const Group weight = load(a + j * keys.n);
    const float* x = keys.row(j, first);
    ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) acc[f] = fma(weight, load(x + f * keys.n), acc[f]);
  }
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) store(acc[f], mean + (first + f) * keys.n);
}

// s_j = scale · q·x_j:  dq = Σ_j scale ds_j x_j;  dx_j = scale ds_j q + a_j dmean
struct QuerySlope {
  const float *q, *a, *dmean, *ds;
  float *dq, *dx;
  bool add;
};
template <int kFeatures, bool kAdd>
HWY_INLINE void slope_block(const Keys& keys, const QuerySlope& slope, int first) {
  Group acc[kFeatures], qf[kFeatures], dmean[kFeatures];
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) {
    acc[f] = zero();
    qf[f] = load(slope.q + (first + f) * keys.n);
    dmean[f] = load(slope.dmean + (first + f) * keys.n);
  }
  for (int j = 0; j < keys.count; ++j) {
    const Group ds = load(slope.ds + j * keys.n), weight = load(slope.a + j * keys.n);
    const float* x = keys.row(j, first);
    float* dx = slope.dx + (x - keys.x);
    ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) {
      acc[f] = fma(ds, load(x + f * keys.n), acc[f]);
      const Group through_mean = kAdd ? fma(weight, dmean[f], load(dx + f * keys.n)) : weight * dmean[f];
      store(fma(ds, qf[f], through_mean), dx + f * keys.n);
    }
  }
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) store(acc[f], slope.dq + (first + f) * keys.n);
}

void AttendForward(const float* q, const float* x, int keys, int width, float scale, float* a, float* mean, int n) {
  const size_t stride = n;
  const Group factor = broadcast(scale * kLog2E);
  for (int b = 0; b < n; b += kLanes) {
    const Keys group{x + b, keys, width, stride};
    dot_keys(group, q + b, a + b);
    // scores to base 2 and their maximum
    Group highest = broadcast(-3.4e38f);
    for (int j = 0; j < keys; ++j) {
      const Group score = load(a + j * stride + b) * factor;
      store(score, a + j * stride + b);
      highest = maximum(score, highest);
    }
    softmax_rows(a + b, keys, stride, highest);
    each_block_back<kMostFeatures>(width, [&]<int kFeatures>(int first) HWY_ATTR {
      mean_block<kFeatures>(group, a + b, first, mean + b);
    });
  }
}

void AttendBackward(const float* q, const float* x, const float* a, const float* dmean, int keys, int width,
                    float scale, float* da, float* dq, float* dx, bool add, int n) {
  const size_t stride = n;
  const Group factor = broadcast(scale);
  for (int b = 0; b < n; b += kLanes) {
    const Keys group{x + b, keys, width, stride};
    // mean = Σ_j a_j x_j:  da_j = dmean·x_j
    // a = softmax(s):      ds_j = a_j (da_j - Σ_k a_k da_k)
    dot_keys(group, dmean + b, da + b);
    Group expected = zero();
    for (int j = 0; j < keys; ++j) expected = fma(load(a + j * stride + b), load(da + j * stride + b), expected);
    for (int j = 0; j < keys; ++j) {
      float* ds = da + j * stride + b;
      store(load(a + j * stride + b) * (load(ds) - expected) * factor, ds);
    }
    const QuerySlope slope{q + b, a + b, dmean + b, da + b, dq + b, dx + b, add};
    each_block_back<kMostSlopes>(width, [&]<int kFeatures>(int first) HWY_ATTR {
      if (add) slope_block<kFeatures, true>(group, slope, first);
      else slope_block<kFeatures, false>(group, slope, first);
    });
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
