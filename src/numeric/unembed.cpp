// Unembedding, softmax and cross-entropy, fused over the vocabulary.
//
//   linear     logit_v = u_v·o
//   harmonic   logit_v = -(power/2) ln(‖o - u_v‖² + ε), so that softmax_v ∝ 1/distance^power
#include "numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/unembed.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Groups of samples that go through the vocabulary together, as far as registers last: each broadcast weight and each
// lane gradient then serves several groups. The order of every sum is the same for any number of them.
inline constexpr int kTogether = HWY_CAP_GE512 ? 4 : 1;

template <bool kHarmonic, int kWidth, int kGroups>
HWY_INLINE void loss_forward_groups(float power, const float* u, int vocab, int width, const float* o,
                                    const int32_t* targets, const float* weights, float* softmax, float* total,
                                    Group& loss, Group& correct, size_t n) {
  const int features = kWidth > 0 ? kWidth : width;
  // logits and their maximum
  Group highest[kGroups];
  for (int g = 0; g < kGroups; ++g) highest[g] = broadcast(-3.4e38f);
  for (int v = 0; v < vocab; ++v) {
    const float* uv = u + static_cast<size_t>(v) * features;
    Group logit[kGroups];
    for (int g = 0; g < kGroups; ++g) logit[g] = kHarmonic ? broadcast(kCoincident) : zero();
    for (int f = 0; f < features; ++f) {
      for (int g = 0; g < kGroups; ++g) {
        const Group of = load(o + f * n + g * kGroup), uf = broadcast(uv[f]);
        logit[g] = kHarmonic ? fma(of - uf, of - uf, logit[g]) : fma(uf, of, logit[g]);
      }
    }
    for (int g = 0; g < kGroups; ++g) {
      if (kHarmonic) logit[g] = logarithm(logit[g]) * broadcast(-0.5f * power);
      store(logit[g], softmax + v * n + g * kGroup);
      highest[g] = maximum(highest[g], logit[g]);
    }
  }
  Group answer[kGroups];
  for (int g = 0; g < kGroups; ++g) {
    HWY_ALIGN float picked[kGroup];
    for (int lane = 0; lane < kGroup; ++lane) {
      const int at = g * kGroup + lane;
      picked[lane] = softmax[targets[at] * n + at];
    }
    answer[g] = load(picked);
  }
  // e^(logit - max) and its sum
  Group sum[kGroups];
  for (int g = 0; g < kGroups; ++g) sum[g] = zero();
  for (int v = 0; v < vocab; ++v) {
    for (int g = 0; g < kGroups; ++g) {
      float* at = softmax + v * n + g * kGroup;
      const Group e = exponential(load(at) - highest[g]);
      store(e, at);
      sum[g] = sum[g] + e;
    }
  }
  // -ln softmax_target = ln Σ e^(logit - max) - (logit_target - max)
  for (int g = 0; g < kGroups; ++g) {
    store(sum[g], total + g * kGroup);
    const Group weight = load(weights + g * kGroup);
    loss = fma(weight, logarithm(sum[g]) - (answer[g] - highest[g]), loss);
    correct = fma(weight, at_least(answer[g], highest[g]), correct);
  }
}

template <bool kHarmonic, int kWidth>
void loss_forward_width(float power, const float* u, int vocab, int width, const float* o, const int32_t* targets,
                        const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  Group loss = zero(), correct = zero();
  int b = 0;
  for (; b + kTogether * kGroup <= n; b += kTogether * kGroup)
    loss_forward_groups<kHarmonic, kWidth, kTogether>(power, u, vocab, width, o + b, targets + b, weights + b,
                                                      softmax + b, total + b, loss, correct, n);
  for (; b < n; b += kGroup)
    loss_forward_groups<kHarmonic, kWidth, 1>(power, u, vocab, width, o + b, targets + b, weights + b, softmax + b,
                                              total + b, loss, correct, n);
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

// kWidth features of the gradient at a time; `softmax` already holds the answer's -1 (see below).
template <bool kHarmonic, int kWidth, int kGroups>
HWY_INLINE void loss_backward_groups(const float* u, int vocab, int width, int first, const float* o,
                                     const Group* factor, const float* softmax, float* du_lanes, float* d_o, size_t n) {
  Group of[kWidth][kGroups], dof[kWidth][kGroups];
  for (int f = 0; f < kWidth; ++f) {
    for (int g = 0; g < kGroups; ++g) {
      of[f][g] = load(o + (first + f) * n + g * kGroup);
      dof[f][g] = zero();
    }
  }
  for (int v = 0; v < vocab; ++v) {
    const size_t row = static_cast<size_t>(v) * width + first;
    // linear: dlogit_v; harmonic: the factor c_v of (o - u_v), see below
    Group dlogit[kGroups];
    for (int g = 0; g < kGroups; ++g) dlogit[g] = load(softmax + v * n + g * kGroup) * factor[g];
    for (int f = 0; f < kWidth; ++f) {
      float* lanes = du_lanes + (row + f) * kGroup;
      Group du = load(lanes);
      const Group weight = broadcast(u[row + f]);
      for (int g = 0; g < kGroups; ++g) {
        if (kHarmonic) {
          const Group apart = of[f][g] - weight;
          du = du - dlogit[g] * apart;
          dof[f][g] = fma(dlogit[g], apart, dof[f][g]);
        } else {
          du = fma(dlogit[g], of[f][g], du);
          dof[f][g] = fma(dlogit[g], weight, dof[f][g]);
        }
      }
      store(du, lanes);
    }
  }
  for (int f = 0; f < kWidth; ++f)
    for (int g = 0; g < kGroups; ++g) store(dof[f][g], d_o + (first + f) * n + g * kGroup);
}

template <bool kHarmonic, int kGroups>
HWY_INLINE void loss_backward_all_features(float power, const float* u, int vocab, int width, const float* o,
                                           const int32_t* targets, const float* weights, float scale, float* softmax,
                                           const float* total, float* du_lanes, float* d_o, size_t n) {
  // dlogit_v = weight · scale · (e_v / total - [v = target]) = factor · (e_v - [v = target] total)
  Group factor[kGroups];
  for (int g = 0; g < kGroups; ++g)
    factor[g] = load(weights + g * kGroup) * broadcast(scale) / load(total + g * kGroup);
  for (int lane = 0; lane < kGroups * kGroup; ++lane) softmax[targets[lane] * n + lane] -= total[lane];
  if (kHarmonic) {
    // logit_v = -(power/2) ln r²:  dlogit_v/do = -power (o - u_v) / r² = -dlogit_v/du_v;  c_v = -power dlogit_v / r²
    for (int v = 0; v < vocab; ++v) {
      for (int g = 0; g < kGroups; ++g) {
        Group square = broadcast(kCoincident);
        for (int f = 0; f < width; ++f) {
          const Group apart = load(o + f * n + g * kGroup) - broadcast(u[static_cast<size_t>(v) * width + f]);
          square = fma(apart, apart, square);
        }
        float* at = softmax + v * n + g * kGroup;
        store(load(at) * broadcast(-power) / square, at);
      }
    }
  }
  int f = 0;
  for (; f + 2 <= width; f += 2)
    loss_backward_groups<kHarmonic, 2, kGroups>(u, vocab, width, f, o, factor, softmax, du_lanes, d_o, n);
  if (f < width) loss_backward_groups<kHarmonic, 1, kGroups>(u, vocab, width, f, o, factor, softmax, du_lanes, d_o, n);
}

template <bool kHarmonic>
HWY_INLINE void loss_backward_any(float power, const float* u, int vocab, int width, const float* o,
                                  const int32_t* targets, const float* weights, float scale, float* softmax,
                                  const float* total, float* du_lanes, float* d_o, int n) {
  int b = 0;
  for (; b + kTogether * kGroup <= n; b += kTogether * kGroup)
    loss_backward_all_features<kHarmonic, kTogether>(power, u, vocab, width, o + b, targets + b, weights + b, scale,
                                                     softmax + b, total + b, du_lanes, d_o + b, n);
  for (; b < n; b += kGroup)
    loss_backward_all_features<kHarmonic, 1>(power, u, vocab, width, o + b, targets + b, weights + b, scale,
                                             softmax + b, total + b, du_lanes, d_o + b, n);
}

void UnembedLossForward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                        const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  switch (width) {
    case 1:
      return loss_forward_width<false, 1>(0, u, vocab, width, o, targets, weights, softmax, total, sums, n);
    case 2:
      return loss_forward_width<false, 2>(0, u, vocab, width, o, targets, weights, softmax, total, sums, n);
    case 3:
      return loss_forward_width<false, 3>(0, u, vocab, width, o, targets, weights, softmax, total, sums, n);
    default:
      return loss_forward_width<false, 0>(0, u, vocab, width, o, targets, weights, softmax, total, sums, n);
  }
}
void UnembedLossBackward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                         const float* weights, float scale, float* softmax, const float* total, float* du_lanes,
                         float* d_o, int n) {
  loss_backward_any<false>(0, u, vocab, width, o, targets, weights, scale, softmax, total, du_lanes, d_o, n);
}
void HarmonicLossForward(float power, const float* u, int vocab, int width, const float* o, const int32_t* targets,
                         const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  loss_forward_width<true, 0>(power, u, vocab, width, o, targets, weights, softmax, total, sums, n);
}
void HarmonicLossBackward(float power, const float* u, int vocab, int width, const float* o, const int32_t* targets,
                          const float* weights, float scale, float* softmax, const float* total, float* du_lanes,
                          float* d_o, int n) {
  loss_backward_any<true>(power, u, vocab, width, o, targets, weights, scale, softmax, total, du_lanes, d_o, n);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(UnembedLossForward);
HWY_EXPORT(UnembedLossBackward);
HWY_EXPORT(HarmonicLossForward);
HWY_EXPORT(HarmonicLossBackward);

void unembed_loss_forward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                          const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  HWY_DYNAMIC_DISPATCH(UnembedLossForward)(u, vocab, width, o, targets, weights, softmax, total, sums, n);
}
void unembed_loss_backward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                           const float* weights, float scale, float* softmax, const float* total, float* du_lanes,
                           float* d_o, int n) {
  HWY_DYNAMIC_DISPATCH(UnembedLossBackward)
  (u, vocab, width, o, targets, weights, scale, softmax, total, du_lanes, d_o, n);
}

void harmonic_loss_forward(float power, const float* u, int vocab, int width, const float* o, const int32_t* targets,
                           const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  HWY_DYNAMIC_DISPATCH(HarmonicLossForward)(power, u, vocab, width, o, targets, weights, softmax, total, sums, n);
}
void harmonic_loss_backward(float power, const float* u, int vocab, int width, const float* o, const int32_t* targets,
                            const float* weights, float scale, float* softmax, const float* total, float* du_lanes,
                            float* d_o, int n) {
  HWY_DYNAMIC_DISPATCH(HarmonicLossBackward)
  (power, u, vocab, width, o, targets, weights, scale, softmax, total, du_lanes, d_o, n);
}

}  // namespace atto
#endif
