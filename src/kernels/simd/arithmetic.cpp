#include "kernels/simd/arithmetic.h"

#include "kernels/simd/denormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/arithmetic.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// a·b + c and a·b, of numbers that the compiler does not know.
void MultiplyAdd(const float* a, const float* b, const float* c, float* sum, float* product) {
  store(fma(load(a), load(b), load(c)), sum);
  store(load(a) * load(b), product);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <array>

namespace atto {

HWY_EXPORT(MultiplyAdd);

Arithmetic arithmetic() {
  using Lanes = std::array<float, kLanes>;
  Lanes a, b, c, sum{}, product{};
  const FlushDenormals flush;
  // (1 + 2^-12)² = 1 + 2^-11 + 2^-24, whose last term a rounded product has lost.
  a.fill(1.0f + 0x1p-12f);
  c.fill(-1.0f - 0x1p-11f);
  HWY_DYNAMIC_DISPATCH(MultiplyAdd)(a.data(), a.data(), c.data(), sum.data(), product.data());
  Arithmetic found;
  found.fused = sum[0] == 0x1p-24f;
  a.fill(0x1p-70f);
  b.fill(0x1p-70f);
  c.fill(0);
  HWY_DYNAMIC_DISPATCH(MultiplyAdd)(a.data(), b.data(), c.data(), sum.data(), product.data());
  found.flushed = product[0] == 0;
  return found;
}

}  // namespace atto
#endif
