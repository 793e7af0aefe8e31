// One query of a head of dot-product attention in a narrow network, from its input to its output in one go: the D
// features of a group of samples stay in registers between the products and the attention.
#include "kernels/kernels.h"

#ifndef ATTO_NUMERIC_NARROW_HEAD_ONCE
#define ATTO_NUMERIC_NARROW_HEAD_ONCE
namespace atto {
namespace {

// Up to this D the gradients of all three matrices fit the registers.
constexpr int kRegisterWidth = 2;

// Rows of the scratch memory that wider networks keep for the gradients of their matrices.
float* kept_dprobes(const NarrowHead& head, const NarrowHeadGradient& gradient, size_t n) {
  return gradient.scratch + static_cast<size_t>(head.keys) * n;
}
float* kept_dqueries(const NarrowHead& head, const NarrowHeadGradient& gradient, size_t n) {
  return kept_dprobes(head, gradient, n) + static_cast<size_t>(head.width) * n;
}

}  // namespace
}  // namespace atto
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/narrow/narrow_head.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// D features of a group of samples.
template <int kWidth>
struct Features {
  Group of[kWidth];
};

template <int kWidth>
HWY_INLINE Features<kWidth> load_features(const float* rows, size_t n) {
  Features<kWidth> x;
  ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) x.of[f] = load(rows + f * n);
  return x;
}
template <int kWidth>
HWY_INLINE void store_features(const Features<kWidth>& x, float* rows, size_t n) {
  ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) store(x.of[f], rows + f * n);
}

// A D×D matrix of scalars.
template <int kWidth>
struct Square {
  const float* w;

  // W x
  HWY_INLINE Features<kWidth> times(const Features<kWidth>& x) const {
    Features<kWidth> y;
    ATTO_UNROLLED for (int r = 0; r < kWidth; ++r) {
      y.of[r] = broadcast(w[r * kWidth]) * x.of[0];
      ATTO_UNROLLED for (int c = 1; c < kWidth; ++c) y.of[r] = fma(broadcast(w[r * kWidth + c]), x.of[c], y.of[r]);
    }
    return y;
  }
  // Wᵀ x
  HWY_INLINE Features<kWidth> transposed_times(const Features<kWidth>& x) const {
    Features<kWidth> y;
    ATTO_UNROLLED for (int c = 0; c < kWidth; ++c) {
      y.of[c] = broadcast(w[c]) * x.of[0];
      ATTO_UNROLLED for (int r = 1; r < kWidth; ++r) y.of[c] = fma(broadcast(w[r * kWidth + c]), x.of[r], y.of[c]);
    }
    return y;
  }
};

// The lane sums of its gradient, in registers while the samples pass by.
template <int kWidth>
struct SquareGradient {
  explicit HWY_INLINE SquareGradient(float* lanes) : at(lanes) {
    ATTO_UNROLLED for (int i = 0; i < kWidth * kWidth; ++i) sum[i] = load(at + i * kLanes);
  }
  HWY_INLINE void finish() const {
    ATTO_UNROLLED for (int i = 0; i < kWidth * kWidth; ++i) store(sum[i], at + i * kLanes);
  }
  // dW += dy xᵀ
  HWY_INLINE void add(const Features<kWidth>& dy, const Features<kWidth>& x) {
    ATTO_UNROLLED for (int i = 0; i < kWidth * kWidth; ++i) sum[i] = fma(dy.of[i / kWidth], x.of[i % kWidth], sum[i]);
  }

  float* at;
  Group sum[kWidth * kWidth];
};

// The gradients of all three matrices: as they come along while they fit the registers, afterwards from rows that are
// kept for that.
template <int kWidth, bool kKept = (kWidth > kRegisterWidth)>
struct HeadSums {
  HWY_INLINE HeadSums(const NarrowHead&, const NarrowHeadGradient& gradient, size_t)
      : dquery(gradient.query), dkey(gradient.key), dvalue(gradient.value) {}
  HWY_INLINE void add(size_t, const Features<kWidth>& dout, const Features<kWidth>& mean, const Features<kWidth>& q,
                      const Features<kWidth>& dprobe, const Features<kWidth>& dq, const Features<kWidth>& asking) {
    dvalue.add(dout, mean);
    dkey.add(q, dprobe);
    dquery.add(dq, asking);
  }
  HWY_INLINE void finish() const {
    dquery.finish();
    dkey.finish();
    dvalue.finish();
  }

  SquareGradient<kWidth> dquery, dkey, dvalue;
};
template <int kWidth>
struct HeadSums<kWidth, true> {
  HWY_INLINE HeadSums(const NarrowHead& head, const NarrowHeadGradient& gradient, size_t lanes)
      : n(lanes), dprobes(kept_dprobes(head, gradient, lanes)), dqueries(kept_dqueries(head, gradient, lanes)) {}
  HWY_INLINE void add(size_t b, const Features<kWidth>&, const Features<kWidth>&, const Features<kWidth>&,
                      const Features<kWidth>& dprobe, const Features<kWidth>& dq, const Features<kWidth>&) {
    store_features(dprobe, dprobes + b, n);
    store_features(dq, dqueries + b, n);
  }
  HWY_INLINE void finish() const {}

  size_t n;
  float *dprobes, *dqueries;
};

template <int kWidth>
HWY_INLINE Group dot(const Features<kWidth>& a, const Features<kWidth>& b) {
  Group sum = a.of[0] * b.of[0];
  ATTO_UNROLLED for (int f = 1; f < kWidth; ++f) sum = fma(a.of[f], b.of[f], sum);
  return sum;
}

// kGroups groups side by side, from lane b on: one alone would wait for its own powers and quotient.
template <int kWidth, int kGroups>
HWY_INLINE void forward_groups(const NarrowHead& head, float* o, size_t b, size_t n) {
  const size_t key_stride = kWidth * n;
  const Square<kWidth> query{head.query}, key{head.key}, value{head.value};
  const Group factor = broadcast(head.scale * kLog2E);
  const float* x = head.x + b;
  float* a = head.a + b;
  Features<kWidth> scaled[kGroups], mean[kGroups];
  Group highest[kGroups], total[kGroups];
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    const size_t lane = b + g * kLanes;
    const Features<kWidth> q = query.times(load_features<kWidth>(head.asking + lane, n));
    const Features<kWidth> probe = key.transposed_times(q);
    store_features(q, head.q + lane, n);
    store_features(probe, head.probe + lane, n);
    highest[g] = broadcast(-3.4e38f);
    total[g] = zero();
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
      scaled[g].of[f] = probe.of[f] * factor;
      mean[g].of[f] = zero();
    }
  }
  // scores to base 2 and their maximum
  for (int j = 0; j < head.keys; ++j) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const Group score = dot(scaled[g], load_features<kWidth>(x + j * key_stride + g * kLanes, n));
      store(score, a + j * n + g * kLanes);
      highest[g] = maximum(score, highest[g]);
    }
  }
  // The mean is divided by the sum of the weights in the end, so that it need not wait for the quotient.
  for (int j = 0; j < head.keys; ++j) {
    Group below[kGroups], e[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) below[g] = load(a + j * n + g * kLanes) - highest[g];
    powers_of_two(below, e);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const size_t lane = g * kLanes;
      store(e[g], a + j * n + lane);
      total[g] = total[g] + e[g];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) mean[g].of[f] =
          fma(e[g], load(x + j * key_stride + f * n + lane), mean[g].of[f]);
    }
  }
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    const size_t lane = b + g * kLanes;
    const Group inverse = broadcast(1.0f) / total[g];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) mean[g].of[f] = mean[g].of[f] * inverse;
    store_features(mean[g], head.mean + lane, n);
    store_features(value.times(mean[g]), o + lane, n);
    for (int j = 0; j < head.keys; ++j) store(load(head.a + j * n + lane) * inverse, head.a + j * n + lane);
  }
}

template <int kWidth>
void forward_width(const NarrowHead& head, float* o, int lanes) {
  constexpr int kTogether = HWY_CAP_GE512 ? 2 : 1;  // as many as registers last for
  const size_t n = lanes;
  size_t b = 0;
  for (; b + kTogether * kLanes <= n; b += kTogether * kLanes) forward_groups<kWidth, kTogether>(head, o, b, n);
  for (; b < n; b += kLanes) forward_groups<kWidth, 1>(head, o, b, n);
}

template <int kWidth, bool kAdd>
void backward_width(const NarrowHead& head, const float* d_o, const NarrowHeadGradient& gradient, int lanes) {
  const size_t n = lanes, key_stride = kWidth * n;
  const Square<kWidth> query{head.query}, key{head.key}, value{head.value};
  HeadSums<kWidth> sums(head, gradient, n);
  const Group factor = broadcast(head.scale);
  for (size_t b = 0; b < n; b += kLanes) {
    const float *x = head.x + b, *a = head.a + b;
    float *da = gradient.scratch + b, *dx = gradient.dx + b;
    // o = W_V mean
    const Features<kWidth> dout = load_features<kWidth>(d_o + b, n);
    const Features<kWidth> dmean = value.transposed_times(dout);
    // mean = Σ_j a_j x_j:  da_j = dmean·x_j
    // a = softmax(s):      ds_j = a_j (da_j - Σ_k a_k da_k)
    Group expected = zero();
    for (int j = 0; j < head.keys; ++j) {
      const Group daj = dot(dmean, load_features<kWidth>(x + j * key_stride, n));
      store(daj, da + j * n);
      expected = fma(load(a + j * n), daj, expected);
    }
    // s_j = scale · probe·x_j:  dprobe = Σ_j scale ds_j x_j;  dx_j = scale ds_j probe + a_j dmean
    const Features<kWidth> probe = load_features<kWidth>(head.probe + b, n);
    Features<kWidth> dprobe;
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) dprobe.of[f] = zero();
    for (int j = 0; j < head.keys; ++j) {
      const Group weight = load(a + j * n);
      const Group ds = weight * (load(da + j * n) - expected) * factor;
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        const size_t at = j * key_stride + f * n;
        dprobe.of[f] = fma(ds, load(x + at), dprobe.of[f]);
        const Group through_mean = kAdd ? fma(weight, dmean.of[f], load(dx + at)) : weight * dmean.of[f];
        store(fma(ds, probe.of[f], through_mean), dx + at);
      }
    }
    // probe = W_Kᵀ q
    const Features<kWidth> dq = key.times(dprobe);
    // q = W_Q x
    const Features<kWidth> through_query = query.transposed_times(dq);
    float* dasking = gradient.dasking + b;
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) store(load(dasking + f * n) + through_query.of[f], dasking + f * n);
    sums.add(b, dout, load_features<kWidth>(head.mean + b, n), load_features<kWidth>(head.q + b, n), dprobe, dq,
             load_features<kWidth>(head.asking + b, n));
  }
  sums.finish();
}

template <int kWidth>
void backward_width(const NarrowHead& head, const float* d_o, const NarrowHeadGradient& gradient, int n) {
  if (gradient.add) backward_width<kWidth, true>(head, d_o, gradient, n);
  else backward_width<kWidth, false>(head, d_o, gradient, n);
}

void NarrowHeadForward(const NarrowHead& head, float* o, int n) {
  switch (head.width) {
    case 1:
      return forward_width<1>(head, o, n);
    case 2:
      return forward_width<2>(head, o, n);
    case 3:
      return forward_width<3>(head, o, n);
    default:
      return forward_width<4>(head, o, n);
  }
}

void NarrowHeadBackward(const NarrowHead& head, const float* d_o, const NarrowHeadGradient& gradient, int n) {
  switch (head.width) {
    case 1:
      return backward_width<1>(head, d_o, gradient, n);
    case 2:
      return backward_width<2>(head, d_o, gradient, n);
    case 3:
      return backward_width<3>(head, d_o, gradient, n);
    default:
      return backward_width<4>(head, d_o, gradient, n);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(NarrowHeadForward);
HWY_EXPORT(NarrowHeadBackward);

void narrow_head_forward(const NarrowHead& head, float* o, int n) {
  HWY_DYNAMIC_DISPATCH(NarrowHeadForward)(head, o, n);
}
void narrow_head_backward(const NarrowHead& head, const float* d_o, const NarrowHeadGradient& gradient, int n) {
  HWY_DYNAMIC_DISPATCH(NarrowHeadBackward)(head, d_o, gradient, n);
  if (head.width <= kRegisterWidth) return;
  linear_weight_backward(gradient.value, head.width, head.width, d_o, head.mean, n);
  linear_weight_backward(gradient.key, head.width, head.width, head.q,
                         kept_dprobes(head, gradient, static_cast<size_t>(n)), n);
  linear_weight_backward(gradient.query, head.width, head.width, kept_dqueries(head, gradient, static_cast<size_t>(n)),
                         head.asking, n);
}

}  // namespace atto
#endif
