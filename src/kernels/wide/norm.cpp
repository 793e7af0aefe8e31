// Layer norm over the features of each position and lane.
#include <algorithm>

#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/norm.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"
#include "kernels/wide/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Σ_f term(f), in kSums interleaved sums on every target: one would wait for itself.
inline constexpr int kSums = 4;

template <int kCount, class Add>
HWY_INLINE void sum_features(int width, Group (&total)[kCount], const Add& add) {
  Group sums[kSums][kCount];
  for (int k = 0; k < kSums; ++k)
    for (int c = 0; c < kCount; ++c) sums[k][c] = zero();
  int f = 0;
  for (; f + kSums <= width; f += kSums)
    for (int k = 0; k < kSums; ++k) add(f + k, sums[k]);
  for (; f < width; ++f) add(f, sums[0]);
  for (int c = 0; c < kCount; ++c) total[c] = (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);
}

void NormForward(const float* w, const float* b, int width, const float* x, float* y, float* statistics, int positions,
                 int n) {
  const size_t stride = n;
  const Group share = broadcast(1.0f / static_cast<float>(width));
  for (int p = 0; p < positions; ++p) {
    for (int lane = 0; lane < n; lane += kLanes) {
      const size_t at = p * width * stride + lane;
      Group total[1];
      sum_features(width, total, [&](int f, Group* sum) HWY_ATTR { sum[0] = sum[0] + load(x + at + f * stride); });
      const Group mean = total[0] * share;
      sum_features(width, total, [&](int f, Group* sum) HWY_ATTR {
        const Group apart = load(x + at + f * stride) - mean;
        sum[0] = fma(apart, apart, sum[0]);
      });
      const Group inverse = broadcast(1.0f) / square_root(fma(total[0], share, broadcast(kNormEpsilon)));
      for (int f = 0; f < width; ++f) {
        const Group normal = (load(x + at + f * stride) - mean) * inverse;
        store(fma(broadcast(w[f]), normal, broadcast(b[f])), y + at + f * stride);
      }
      store(mean, statistics + 2 * p * stride + lane);
      store(inverse, statistics + (2 * p + 1) * stride + lane);
    }
  }
}

// dw and db are summed in registers over all steps of a chunk, whose x and dy stay in the second-level cache. A step is
// one group of lanes at one position; the chunks decide the order of the sums, so they follow from the width alone.
void NormBackward(const float* w, int width, const float* x, const float* statistics, const float* dy, float* dx,
                  float* dw, float* db, int positions, int n, bool add) {
  const size_t stride = n;
  const int groups = n / kLanes, steps = positions * groups, chunk = std::max(8, 4096 / width);
  const Group share = broadcast(1.0f / static_cast<float>(width));
  for (int first = 0; first < steps; first += chunk) {
    const int last = std::min(steps, first + chunk);
    // dw = Σ dy x̂, db = Σ dy
    each_block<4, 1>(width, [&]<int kFeatures>(int f) HWY_ATTR {
      Group dwf[kFeatures], dbf[kFeatures];
      for (int k = 0; k < kFeatures; ++k) dwf[k] = dbf[k] = zero();
      for (int step = first; step < last; ++step) {
        const size_t p = step / groups, lane = step % groups * kLanes, at = (p * width + f) * stride + lane;
        const Group mean = load(statistics + 2 * p * stride + lane);
        const Group inverse = load(statistics + (2 * p + 1) * stride + lane);
        for (int k = 0; k < kFeatures; ++k) {
          const Group g = load(dy + at + k * stride);
          dwf[k] = fma(g, (load(x + at + k * stride) - mean) * inverse, dwf[k]);
          dbf[k] = dbf[k] + g;
        }
      }
      for (int k = 0; k < kFeatures; ++k) {
        dw[f + k] += sum_lanes(dwf[k]);
        db[f + k] += sum_lanes(dbf[k]);
      }
    });
    // x̂ = (x - mean) / σ, y = w x̂ + b:  dx = (g - <g> - x̂ <g x̂>) / σ with g = w dy and <> the mean over features
    for (int step = first; step < last; ++step) {
      const size_t p = step / groups, lane = step % groups * kLanes, at = p * width * stride + lane;
      const Group mean = load(statistics + 2 * p * stride + lane);
      const Group inverse = load(statistics + (2 * p + 1) * stride + lane);
      Group total[2];
      sum_features(width, total, [&](int f, Group* sum) HWY_ATTR {
        const Group g = broadcast(w[f]) * load(dy + at + f * stride);
        sum[0] = sum[0] + g;
        sum[1] = fma(g, load(x + at + f * stride) - mean, sum[1]);
      });
      const Group g_mean = total[0] * share, along = total[1] * inverse * share * inverse;
      for (int f = 0; f < width; ++f) {
        const Group g = broadcast(w[f]) * load(dy + at + f * stride) - g_mean;
        const Group dxf = (g - (load(x + at + f * stride) - mean) * along) * inverse;
        float* to = dx + at + f * stride;
        store(add ? load(to) + dxf : dxf, to);
      }
    }
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(NormForward);
HWY_EXPORT(NormBackward);

void norm_forward(const float* w, const float* b, int width, const float* x, float* y, float* statistics, int positions,
                  int n) {
  HWY_DYNAMIC_DISPATCH(NormForward)(w, b, width, x, y, statistics, positions, n);
}
void norm_backward(const float* w, int width, const float* x, const float* statistics, const float* dy, float* dx,
                   float* dw, float* db, int positions, int n, bool add) {
  HWY_DYNAMIC_DISPATCH(NormBackward)(w, width, x, statistics, dy, dx, dw, db, positions, n, add);
}

}  // namespace atto
#endif
