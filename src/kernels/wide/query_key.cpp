// What is done to queries, keys and the heads' output feature by feature: rotation, normalisation, gates.
#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/query_key.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

void RotatePairs(const float* angles, int heads, int width, float* x, int positions, int n, bool back) {
  const size_t stride = n;
  const int pairs = width / 2;
  for (int p = 0; p < positions; ++p)
    for (int h = 0; h < heads; ++h)
      for (int m = 0; m < pairs; ++m) {
        const float* angle = angles + (p * pairs + m) * 2;
        const Group cosine = broadcast(angle[0]), sine = broadcast(back ? -angle[1] : angle[1]);
        float* even = x + ((p * heads + h) * width + 2 * m) * stride;
        for (int lane = 0; lane < n; lane += kLanes) {
          const Group x0 = load(even + lane), x1 = load(even + stride + lane);
          store(fma(x0, cosine, zero() - x1 * sine), even + lane);
          store(fma(x0, sine, x1 * cosine), even + stride + lane);
        }
      }
}

void HeadNormForward(const float* w, int heads, int width, const float* x, float* y, float* inverses, int positions,
                     int n) {
  const size_t stride = n;
  const Group share = broadcast(1.0f / static_cast<float>(width));
  for (int at = 0; at < positions * heads; ++at)
    for (int lane = 0; lane < n; lane += kLanes) {
      const float* from = x + at * width * stride + lane;
      float* to = y + at * width * stride + lane;
      Group square = zero();
      for (int f = 0; f < width; ++f) square = fma(load(from + f * stride), load(from + f * stride), square);
      const Group inverse = broadcast(1.0f) / square_root(fma(square, share, broadcast(kNormEpsilon)));
      for (int f = 0; f < width; ++f) store(load(from + f * stride) * inverse * broadcast(w[f]), to + f * stride);
      store(inverse, inverses + at * stride + lane);
    }
}

// With x̂ = x/r and g = w dy:  dx = (g - x̂ <g x̂>)/r, where <> is the mean over features;  dw = Σ dy x̂
void HeadNormBackward(const float* w, int heads, int width, const float* x, const float* inverses, const float* dy,
                      float* dx, float* dw, int positions, int n) {
  const size_t stride = n;
  const Group share = broadcast(1.0f / static_cast<float>(width));
  for (int f = 0; f < width; ++f) {
    Group sum = zero();
    for (int at = 0; at < positions * heads; ++at)
      for (int lane = 0; lane < n; lane += kLanes) {
        const size_t place = (at * width + f) * stride + lane;
        sum = fma(load(dy + place), load(x + place) * load(inverses + at * stride + lane), sum);
      }
    dw[f] += sum_lanes(sum);
  }
  for (int at = 0; at < positions * heads; ++at)
    for (int lane = 0; lane < n; lane += kLanes) {
      const size_t place = at * width * stride + lane;
      const Group inverse = load(inverses + at * stride + lane);
      Group along = zero();
      for (int f = 0; f < width; ++f)
        along = fma(broadcast(w[f]) * load(dy + place + f * stride), load(x + place + f * stride), along);
      along = along * inverse * inverse * share;
      for (int f = 0; f < width; ++f) {
        const Group g = broadcast(w[f]) * load(dy + place + f * stride);
        store((g - load(x + place + f * stride) * along) * inverse, dx + place + f * stride);
      }
    }
}

// Groups whose powers are computed together.
template <int kCount>
HWY_INLINE void open_gates(const float* x, const float* mixed, float* gate, float* y) {
  Group power[kCount], e[kCount];
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) power[k] = load(x + k * kLanes) * broadcast(-kLog2E);
  powers_of_two(power, e);
  ATTO_UNROLLED for (int k = 0; k < kCount; ++k) {
    const Group open = broadcast(1.0f) / (broadcast(1.0f) + e[k]);
    store(open, gate + k * kLanes);
    store(open * load(mixed + k * kLanes), y + k * kLanes);
  }
}

void GateForward(const float* x, const float* mixed, float* gate, float* y, size_t count) {
  constexpr int kTogether = HWY_CAP_GE512 ? 4 : 1;
  size_t i = 0;
  for (; i + kTogether * kLanes <= count; i += kTogether * kLanes)
    open_gates<kTogether>(x + i, mixed + i, gate + i, y + i);
  for (; i < count; i += kLanes) open_gates<1>(x + i, mixed + i, gate + i, y + i);
}

void GateBackward(const float* gate, const float* mixed, const float* dy, float* dmixed, float* dx, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) {
    const Group open = load(gate + i), g = load(dy + i);
    store(g * load(mixed + i) * (open * (broadcast(1.0f) - open)), dx + i);
    store(g * open, dmixed + i);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(RotatePairs);
HWY_EXPORT(HeadNormForward);
HWY_EXPORT(HeadNormBackward);
HWY_EXPORT(GateForward);
HWY_EXPORT(GateBackward);

void rotate_pairs(const float* angles, int heads, int width, float* x, int positions, int n, bool back) {
  HWY_DYNAMIC_DISPATCH(RotatePairs)(angles, heads, width, x, positions, n, back);
}
void head_norm_forward(const float* w, int heads, int width, const float* x, float* y, float* inverses, int positions,
                       int n) {
  HWY_DYNAMIC_DISPATCH(HeadNormForward)(w, heads, width, x, y, inverses, positions, n);
}
void head_norm_backward(const float* w, int heads, int width, const float* x, const float* inverses, const float* dy,
                        float* dx, float* dw, int positions, int n) {
  HWY_DYNAMIC_DISPATCH(HeadNormBackward)(w, heads, width, x, inverses, dy, dx, dw, positions, n);
}
void gate_forward(const float* x, const float* mixed, float* gate, float* y, size_t count) {
  HWY_DYNAMIC_DISPATCH(GateForward)(x, mixed, gate, y, count);
}
void gate_backward(const float* gate, const float* mixed, const float* dy, float* dmixed, float* dx, size_t count) {
  HWY_DYNAMIC_DISPATCH(GateBackward)(gate, mixed, dy, dmixed, dx, count);
}

}  // namespace atto
#endif
