// Linear unembedding, softmax and cross-entropy, fused over the vocabulary.
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

template <int kWidth, int kGroups>
HWY_INLINE void loss_forward_groups(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                                    const float* weights, float* softmax, float* total, Group& loss, Group& correct,
                                    size_t n) {
  const int features = kWidth > 0 ? kWidth : width;
  // logits and their maximum
  Group highest[kGroups];
  for (int g = 0; g < kGroups; ++g) highest[g] = broadcast(-3.4e38f);
  for (int v = 0; v < vocab; ++v) {
    const float* uv = u + static_cast<size_t>(v) * features;
    Group logit[kGroups];
    for (int g = 0; g < kGroups; ++g) logit[g] = broadcast(uv[0]) * load(o + g * kGroup);
    for (int f = 1; f < features; ++f)
      for (int g = 0; g < kGroups; ++g) logit[g] = fma(broadcast(uv[f]), load(o + f * n + g * kGroup), logit[g]);
    for (int g = 0; g < kGroups; ++g) {
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

template <int kWidth>
void loss_forward_width(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                        const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  Group loss = zero(), correct = zero();
  int b = 0;
  for (; b + kTogether * kGroup <= n; b += kTogether * kGroup)
    loss_forward_groups<kWidth, kTogether>(u, vocab, width, o + b, targets + b, weights + b, softmax + b, total + b,
                                           loss, correct, n);
  for (; b < n; b += kGroup)
    loss_forward_groups<kWidth, 1>(u, vocab, width, o + b, targets + b, weights + b, softmax + b, total + b, loss,
                                   correct, n);
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

// kWidth features of the gradient at a time; `softmax` already holds the answer's -1 (see below).
template <int kWidth, int kGroups>
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
    Group dlogit[kGroups];
    for (int g = 0; g < kGroups; ++g) dlogit[g] = load(softmax + v * n + g * kGroup) * factor[g];
    for (int f = 0; f < kWidth; ++f) {
      float* lanes = du_lanes + (row + f) * kGroup;
      Group du = load(lanes);
      const Group weight = broadcast(u[row + f]);
      for (int g = 0; g < kGroups; ++g) {
        du = fma(dlogit[g], of[f][g], du);
        dof[f][g] = fma(dlogit[g], weight, dof[f][g]);
      }
      store(du, lanes);
    }
  }
  for (int f = 0; f < kWidth; ++f)
    for (int g = 0; g < kGroups; ++g) store(dof[f][g], d_o + (first + f) * n + g * kGroup);
}

template <int kGroups>
HWY_INLINE void loss_backward_all_features(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                                           const float* weights, float scale, float* softmax, const float* total,
                                           float* du_lanes, float* d_o, size_t n) {
  // dlogit_v = weight · scale · (e_v / total - [v = target]) = factor · (e_v - [v = target] total)
  Group factor[kGroups];
  for (int g = 0; g < kGroups; ++g)
    factor[g] = load(weights + g * kGroup) * broadcast(scale) / load(total + g * kGroup);
  for (int lane = 0; lane < kGroups * kGroup; ++lane) softmax[targets[lane] * n + lane] -= total[lane];
  int f = 0;
  for (; f + 2 <= width; f += 2)
    loss_backward_groups<2, kGroups>(u, vocab, width, f, o, factor, softmax, du_lanes, d_o, n);
  if (f < width) loss_backward_groups<1, kGroups>(u, vocab, width, f, o, factor, softmax, du_lanes, d_o, n);
}

void UnembedLossForward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                        const float* weights, float* softmax, float* total, LossSums& sums, int n) {
  switch (width) {
    case 1:
      return loss_forward_width<1>(u, vocab, width, o, targets, weights, softmax, total, sums, n);
    case 2:
      return loss_forward_width<2>(u, vocab, width, o, targets, weights, softmax, total, sums, n);
    case 3:
      return loss_forward_width<3>(u, vocab, width, o, targets, weights, softmax, total, sums, n);
    default:
      return loss_forward_width<0>(u, vocab, width, o, targets, weights, softmax, total, sums, n);
  }
}

void UnembedLossBackward(const float* u, int vocab, int width, const float* o, const int32_t* targets,
                         const float* weights, float scale, float* softmax, const float* total, float* du_lanes,
                         float* d_o, int n) {
  int b = 0;
  for (; b + kTogether * kGroup <= n; b += kTogether * kGroup)
    loss_backward_all_features<kTogether>(u, vocab, width, o + b, targets + b, weights + b, scale, softmax + b,
                                          total + b, du_lanes, d_o + b, n);
  for (; b < n; b += kGroup)
    loss_backward_all_features<1>(u, vocab, width, o + b, targets + b, weights + b, scale, softmax + b, total + b,
                                  du_lanes, d_o + b, n);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(UnembedLossForward);
HWY_EXPORT(UnembedLossBackward);

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

}  // namespace atto
#endif
