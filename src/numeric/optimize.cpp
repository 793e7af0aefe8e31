// Optimizer updates, element by element.
#include <cstring>

#include "numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/optimize.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

HWY_INLINE void adam_group(const AdamStep& step, float* p, const float* g, float* m, float* v) {
  const Group gradient = load(g);
  const Group mean = fma(broadcast(step.beta1), load(m), broadcast(1.0f - step.beta1) * gradient);
  const Group square = fma(broadcast(step.beta2), load(v), broadcast(1.0f - step.beta2) * gradient * gradient);
  const Group root = fma(square_root(square), broadcast(step.root_scale), broadcast(step.epsilon));
  store(mean, m);
  store(square, v);
  store(load(p) - broadcast(step.rate) * mean / root, p);
}

HWY_INLINE void sgd_group(float rate, float momentum, float* p, const float* g, float* velocity) {
  const Group speed = fma(broadcast(momentum), load(velocity), load(g));
  store(speed, velocity);
  store(load(p) - broadcast(rate) * speed, p);
}

// Runs `update` on whole groups; the last few elements go through padded copies, so that they see the same arithmetic.
template <class Update>
HWY_INLINE void for_groups(size_t count, Update update) {
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) update(i, static_cast<size_t>(kGroup));
  if (i < count) update(i, count - i);
}

void AdamUpdate(const AdamStep& step, float* p, const float* g, float* m, float* v, size_t count) {
  for_groups(count, [&](size_t i, size_t size) {
    if (size == kGroup) return adam_group(step, p + i, g + i, m + i, v + i);
    HWY_ALIGN float tail[4][kGroup] = {};
    float* const rows[3] = {p + i, m + i, v + i};
    for (int r = 0; r < 3; ++r) std::memcpy(tail[r], rows[r], size * sizeof(float));
    std::memcpy(tail[3], g + i, size * sizeof(float));
    adam_group(step, tail[0], tail[3], tail[1], tail[2]);
    for (int r = 0; r < 3; ++r) std::memcpy(rows[r], tail[r], size * sizeof(float));
  });
}

void SgdUpdate(float rate, float momentum, float* p, const float* g, float* velocity, size_t count) {
  for_groups(count, [&](size_t i, size_t size) {
    if (size == kGroup) return sgd_group(rate, momentum, p + i, g + i, velocity + i);
    HWY_ALIGN float tail[3][kGroup] = {};
    std::memcpy(tail[0], p + i, size * sizeof(float));
    std::memcpy(tail[1], velocity + i, size * sizeof(float));
    std::memcpy(tail[2], g + i, size * sizeof(float));
    sgd_group(rate, momentum, tail[0], tail[2], tail[1]);
    std::memcpy(p + i, tail[0], size * sizeof(float));
    std::memcpy(velocity + i, tail[1], size * sizeof(float));
  });
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(AdamUpdate);
HWY_EXPORT(SgdUpdate);

void adam_update(const AdamStep& step, float* parameters, const float* gradients, float* m, float* v, size_t count) {
  HWY_DYNAMIC_DISPATCH(AdamUpdate)(step, parameters, gradients, m, v, count);
}
void sgd_update(float rate, float momentum, float* parameters, const float* gradients, float* velocity, size_t count) {
  HWY_DYNAMIC_DISPATCH(SgdUpdate)(rate, momentum, parameters, gradients, velocity, count);
}

}  // namespace atto
#endif
