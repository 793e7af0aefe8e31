// Half the squared error of vectors, forward and backward in one go.
#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/squared_error.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

void SquaredError(const float* y, const float* answers, const float* weights, int width, float scale, float* dy,
                  LossSums& sums, int n) {
  const size_t stride = n;
  Group loss = zero();
  for (int b = 0; b < n; b += kLanes) {
    const Group weight = load(weights + b), factor = weight * broadcast(scale);
    Group square = zero();
    for (int f = 0; f < width; ++f) {
      const size_t at = f * stride + b;
      const Group apart = load(y + at) - load(answers + at);
      square = fma(apart, apart, square);
      if (dy) store(factor * apart, dy + at);
    }
    loss = fma(weight * broadcast(0.5f), square, loss);
  }
  sums.loss += sum_lanes(loss);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(SquaredError);

void squared_error(const float* y, const float* answers, const float* weights, int width, float scale, float* dy,
                   LossSums& sums, int n) {
  HWY_DYNAMIC_DISPATCH(SquaredError)(y, answers, weights, width, scale, dy, sums, n);
}

}  // namespace atto
#endif
