// Softmax and cross-entropy of logits that stand in memory.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/cross_entropy.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

void CrossEntropy(const float* logits, const int32_t* targets, const float* weights, int vocab, float scale,
                  float* dlogits, LossSums& sums, int n) {
  const size_t stride = n;
  Group loss = zero(), correct = zero();
  for (int b = 0; b < n; b += kLanes) {
    Group highest = load(logits + b);
    for (int v = 1; v < vocab; ++v) highest = maximum(load(logits + v * stride + b), highest);
    HWY_ALIGN float answer[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) answer[lane] = logits[targets[b + lane] * stride + b + lane];
    const Group target = load(answer), weight = load(weights + b);
    // e^(logit - max) and its sum
    Group total = zero();
    for (int v = 0; v < vocab; ++v) {
      const Group e = power_of_two((load(logits + v * stride + b) - highest) * broadcast(kLog2E));
      store(e, dlogits + v * stride + b);
      total = total + e;
    }
    // -ln softmax_target = ln Σ e^(logit - max) - (logit_target - max)
    loss = fma(weight, (highest - target) + logarithm(total), loss);
    correct = fma(weight, at_least(target, highest), correct);
    const Group factor = weight * broadcast(scale);
    const Group share = factor / total;
    for (int v = 0; v < vocab; ++v) {
      float* at = dlogits + v * stride + b;
      store(load(at) * share, at);
    }
    HWY_ALIGN float one[kLanes];
    store(factor, one);
    for (int lane = 0; lane < kLanes; ++lane) dlogits[targets[b + lane] * stride + b + lane] -= one[lane];
  }
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(CrossEntropy);

void cross_entropy(const float* logits, const int32_t* targets, const float* weights, int vocab, float scale,
                   float* dlogits, LossSums& sums, int n) {
  HWY_DYNAMIC_DISPATCH(CrossEntropy)(logits, targets, weights, vocab, scale, dlogits, sums, n);
}

}  // namespace atto
#endif
