// Optimizer updates, element by element.
#include <cstring>

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/optimize.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

HWY_INLINE void adam_group(const AdamStep& step, float* p, const float* g, float* m, float* v, const float* factors) {
  const Group gradient = load(g);
  const Group mean = fma(broadcast(step.beta1), load(m), broadcast(1.0f - step.beta1) * gradient);
  const Group square = fma(broadcast(step.beta2), load(v), broadcast(1.0f - step.beta2) * gradient * gradient);
  const Group root = fma(square_root(square), broadcast(step.root_scale), broadcast(step.epsilon));
  const Group rate = factors == nullptr ? broadcast(step.rate) : broadcast(step.rate) * load(factors);
  store(mean, m);
  store(square, v);
  store(load(p) - rate * mean / root, p);
}

HWY_INLINE void sgd_group(float rate, float momentum, float* p, const float* g, float* velocity, const float* factors) {
  const Group speed = fma(broadcast(momentum), load(velocity), load(g));
  const Group rates = factors == nullptr ? broadcast(rate) : broadcast(rate) * load(factors);
  store(speed, velocity);
  store(load(p) - rates * speed, p);
}

// The last few elements, fewer than a group, go through padded copies and so see the same arithmetic.
struct Tail {
  Tail(const float* from, size_t count) : size(count) {
    if (from != nullptr) std::memcpy(values, from, size * sizeof(float));
  }
  void write(float* to) const { std::memcpy(to, values, size * sizeof(float)); }

  size_t size;
  HWY_ALIGN float values[kLanes] = {};
};

void AdamUpdate(const AdamStep& step, float* p, const float* g, float* m, float* v, size_t count,
                const float* factors) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    adam_group(step, p + i, g + i, m + i, v + i, factors == nullptr ? nullptr : factors + i);
  if (i == count) return;
  Tail tp(p + i, count - i), tm(m + i, count - i), tv(v + i, count - i);
  const Tail tg(g + i, count - i), tf(factors == nullptr ? nullptr : factors + i, count - i);
  adam_group(step, tp.values, tg.values, tm.values, tv.values, factors == nullptr ? nullptr : tf.values);
  tp.write(p + i);
  tm.write(m + i);
  tv.write(v + i);
}

void SgdUpdate(float rate, float momentum, float* p, const float* g, float* velocity, size_t count,
               const float* factors) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    sgd_group(rate, momentum, p + i, g + i, velocity + i, factors == nullptr ? nullptr : factors + i);
  if (i == count) return;
  Tail tp(p + i, count - i), tv(velocity + i, count - i);
  const Tail tg(g + i, count - i), tf(factors == nullptr ? nullptr : factors + i, count - i);
  sgd_group(rate, momentum, tp.values, tg.values, tv.values, factors == nullptr ? nullptr : tf.values);
  tp.write(p + i);
  tv.write(velocity + i);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(AdamUpdate);
HWY_EXPORT(SgdUpdate);

void adam_update(const AdamStep& step, float* parameters, const float* gradients, float* m, float* v, size_t count,
                 const float* factors) {
  HWY_DYNAMIC_DISPATCH(AdamUpdate)(step, parameters, gradients, m, v, count, factors);
}
void sgd_update(float rate, float momentum, float* parameters, const float* gradients, float* velocity, size_t count,
                const float* factors) {
  HWY_DYNAMIC_DISPATCH(SgdUpdate)(rate, momentum, parameters, gradients, velocity, count, factors);
}

}  // namespace atto
#endif
