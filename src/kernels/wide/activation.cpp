// Activations and other maps of single numbers.
#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/activation.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Φ(x) - ½ and gelu'(x) - ½ are odd, and x times a function of x² that is smooth: polynomials in s = 2x²/end - 1,
// fitted by Chebyshev interpolation over 0 <= x² <= end, highest power first. All their coefficients are below 0.14, so
// nothing cancels, and there is neither a division nor an exponential.
inline constexpr float kPhiEnd = 27.0f, kSlopeEnd = 33.0f;
inline constexpr float kPhi[] = {2.393632e-4f,  -5.754098e-4f,  4.672016e-4f,   -9.141258e-4f, 2.8086954e-3f,
                                 -5.107075e-3f, 7.8767305e-3f,  -1.2283244e-2f, 1.8134557e-2f, -2.4750864e-2f,
                                 3.1951234e-2f, -3.9936226e-2f, 5.0055575e-2f,  -6.779168e-2f, 1.360503e-1f};
inline constexpr float kSlope[] = {-2.9249722e-3f, 6.3694236e-3f,  -7.089943e-4f,  1.346505e-4f,   -1.950969e-2f,
                                   3.2858502e-2f,  -3.1750083e-2f, 4.190592e-2f,   -6.0721178e-2f, 6.984961e-2f,
                                   -7.026202e-2f,  6.681341e-2f,   -5.9782024e-2f, 5.1891953e-2f,  -4.741334e-2f,
                                   4.9448486e-2f,  -6.235055e-2f,  1.2318974e-1f};

// Groups computed together: one would wait for its own polynomial.
inline constexpr int kGroupsTogether = HWY_CAP_GE512 ? 4 : 1;

// p[k] = the polynomial of s[k]
template <int kCount, size_t kTerms>
HWY_INLINE void polynomials(const float (&coefficients)[kTerms], const Group (&s)[kCount], Group (&p)[kCount]) {
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) p[k] = broadcast(coefficients[0]);
  for (size_t i = 1; i < kTerms; ++i) {
    const Group coefficient = broadcast(coefficients[i]);
    ATTO_UNROLLED for (int k = 0; k < kCount; ++k) p[k] = fma(p[k], s[k], coefficient);
  }
}

// In minima and maxima x stands second, so that NaN stays NaN.
template <int kCount>
HWY_INLINE void gelu(const float* from, float* to) {
  Group x[kCount], s[kCount], p[kCount];
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) {
    x[k] = load(from + k * kLanes);
    const Group square = minimum(broadcast(kPhiEnd), x[k] * x[k]);
    s[k] = fma(square, broadcast(2.0f / kPhiEnd), broadcast(-1.0f));
  }
  polynomials(kPhi, s, p);
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) {
    // Past the end of the fit the product is beyond ±½: cutting it there makes gelu exactly x or 0.
    const Group half = minimum(broadcast(0.5f), maximum(broadcast(-0.5f), x[k] * p[k]));
    store(fma(x[k], half, x[k] * broadcast(0.5f)), to + k * kLanes);
  }
}

// dx = dy (Φ(x) + x φ(x)), the factor with an absolute error below 3e-7.
template <int kCount>
HWY_INLINE void gelu_slope(const float* from, const float* dy, float* dx) {
  constexpr float kEnd = 5.7445626f;  // √kSlopeEnd
  Group x[kCount], s[kCount], p[kCount];
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) {
    x[k] = minimum(broadcast(kEnd), maximum(broadcast(-kEnd), load(from + k * kLanes)));
    s[k] = fma(x[k] * x[k], broadcast(2.0f / kSlopeEnd), broadcast(-1.0f));
  }
  polynomials(kSlope, s, p);
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k)
      store(load(dy + k * kLanes) * fma(x[k], p[k], broadcast(0.5f)), dx + k * kLanes);
}

void GeluForward(const float* x, float* y, size_t count) {
  size_t i = 0;
  for (; i + kGroupsTogether * kLanes <= count; i += kGroupsTogether * kLanes) gelu<kGroupsTogether>(x + i, y + i);
  for (; i < count; i += kLanes) gelu<1>(x + i, y + i);
}
void GeluBackward(const float* x, const float* dy, float* dx, size_t count) {
  size_t i = 0;
  for (; i + kGroupsTogether * kLanes <= count; i += kGroupsTogether * kLanes)
    gelu_slope<kGroupsTogether>(x + i, dy + i, dx + i);
  for (; i < count; i += kLanes) gelu_slope<1>(x + i, dy + i, dx + i);
}

void ReluForward(const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) store(maximum(zero(), load(x + i)), y + i);
}
void ReluBackward(const float* x, const float* dy, float* dx, size_t count) {
  const Group one = broadcast(1.0f);
  for (size_t i = 0; i < count; i += kLanes) store(load(dy + i) * (one - at_least(zero(), load(x + i))), dx + i);
}

void AddRows(const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) store(load(y + i) + load(x + i), y + i);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(GeluForward);
HWY_EXPORT(GeluBackward);
HWY_EXPORT(ReluForward);
HWY_EXPORT(ReluBackward);
HWY_EXPORT(AddRows);

void gelu_forward(const float* x, float* y, size_t count) { HWY_DYNAMIC_DISPATCH(GeluForward)(x, y, count); }
void gelu_backward(const float* x, const float* dy, float* dx, size_t count) {
  HWY_DYNAMIC_DISPATCH(GeluBackward)(x, dy, dx, count);
}
void relu_forward(const float* x, float* y, size_t count) { HWY_DYNAMIC_DISPATCH(ReluForward)(x, y, count); }
void relu_backward(const float* x, const float* dy, float* dx, size_t count) {
  HWY_DYNAMIC_DISPATCH(ReluBackward)(x, dy, dx, count);
}
void add_rows(const float* x, float* y, size_t count) { HWY_DYNAMIC_DISPATCH(AddRows)(x, y, count); }

}  // namespace atto
#endif
