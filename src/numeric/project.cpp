// Wide linear maps over many positions, and the gradients of their weights.
//
// A step is one group of lanes at one position: P·n/16 of them. Several rows and several steps of the result stay in
// registers; the sum over inputs runs in index order whatever the blocking, so every target gives the same bits.
#include <algorithm>

#include "numeric/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/project.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/panel-inl.h"
#include "numeric/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Rows and steps of a block of the result; so many inputs of a block's steps stay in the first-level cache.
inline constexpr int kRows = HWY_CAP_GE512 ? 8 : 4;
inline constexpr int kSteps = HWY_CAP_GE512 ? 3 : 1;
inline constexpr int kInputs = 128;

// W as a sum over terms reads it: weight of term t in row r.
struct Weights {
  const float* w;
  size_t row, term;
};

// y_r += Σ_t w_rt x_t for kRowCount rows; `from_zero` takes the old y as 0, `bias` is added before the sum.
template <int kRowCount, int kStepCount>
HWY_INLINE void project_block(const Weights& weights, int terms, const float* const* x, float* const* y, size_t row,
                              size_t n, bool from_zero, const float* bias) {
  Group acc[kRowCount][kStepCount];
  for (int r = 0; r < kRowCount; ++r) {
    for (int s = 0; s < kStepCount; ++s) {
      acc[r][s] = from_zero ? zero() : load(y[s] + (row + r) * n);
      if (bias) acc[r][s] = acc[r][s] + broadcast(bias[row + r]);
    }
  }
  const float* xs[kStepCount];
  for (int s = 0; s < kStepCount; ++s) xs[s] = x[s];
  const float* w = weights.w + row * weights.row;
  for (int t = 0; t < terms; ++t) {
    Group xt[kStepCount];
    for (int s = 0; s < kStepCount; ++s) xt[s] = load(xs[s] + t * n);
    for (int r = 0; r < kRowCount; ++r) {
      const Group weight = broadcast(w[r * weights.row]);
      for (int s = 0; s < kStepCount; ++s) acc[r][s] = fma(weight, xt[s], acc[r][s]);
    }
    w += weights.term;
  }
  for (int r = 0; r < kRowCount; ++r)
    for (int s = 0; s < kStepCount; ++s) store(acc[r][s], y[s] + (row + r) * n);
}

template <int kStepCount>
void project_steps(const Weights& weights, const float* bias, int rows, int terms, const float* const* x,
                   float* const* y, size_t n, bool add) {
  for (int first = 0; first < terms; first += kInputs) {
    const Weights from{weights.w + first * weights.term, weights.row, weights.term};
    const float* xs[kStepCount];
    for (int s = 0; s < kStepCount; ++s) xs[s] = x[s] + first * n;
    const int count = std::min(kInputs, terms - first);
    const bool from_zero = first == 0 && !add;
    const float* shift = first == 0 ? bias : nullptr;
    each_block<kRows, 4, 2, 1>(rows, [&]<int kRowCount>(int row) HWY_ATTR {
      project_block<kRowCount, kStepCount>(from, count, xs, y, row, n, from_zero, shift);
    });
  }
}

void Project(const float* w, size_t row_stride, size_t term_stride, const float* bias, int rows, int terms,
             const float* x, float* y, int positions, int n, bool add) {
  const Weights weights{w, row_stride, term_stride};
  const size_t lanes = n;
  const int groups = n / kGroup;
  each_block<kSteps, 2, 1>(positions * groups, [&]<int kStepCount>(int step) HWY_ATTR {
    const float* xs[kStepCount];
    float* ys[kStepCount];
    for (int s = 0; s < kStepCount; ++s) {
      const size_t position = (step + s) / groups, lane = (step + s) % groups * kGroup;
      xs[s] = x + position * terms * lanes + lane;
      ys[s] = y + position * rows * lanes + lane;
    }
    project_steps<kStepCount>(weights, bias, rows, terms, xs, ys, lanes, add);
  });
}

// dW is summed over chunks of so many steps, as many as a panel holds: they decide the order of the sum.
// Rows of dy that go through together: those of a chunk stay in the second-level cache.
inline constexpr int kRowRange = 128;

void ProjectWeightsBackward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                            int n) {
  const size_t lanes = n;
  const int groups = n / kGroup, chunk_groups = std::min(groups, kPanelTerms);
  const int chunk_positions = std::max(1, kPanelTerms / std::max(groups, 1));
  HWY_ALIGN float panel[kPanelFloats];
  // One chunk: groups g .. of positions p .. .
  const auto add_chunk = [&](int p, int position_count, int g, int group_count) HWY_ATTR {
    const float* x_chunk = x + p * in * lanes + g * kGroup;
    const float* dy_chunk = dy + p * out * lanes + g * kGroup;
    const Terms terms{position_count, out * lanes, group_count, kGroup};
    for (int first = 0; first < out; first += kRowRange) {
      const int range = std::min(kRowRange, out - first);
      each_block<kPanelColumns, 2, 1>(in, [&]<int kColumns>(int i) HWY_ATTR {
        pack_panel<kColumns>(x_chunk + i * lanes, lanes, {position_count, in * lanes, group_count, kGroup}, panel);
        each_block<kPanelRows, 2, 1>(range, [&]<int kRowCount>(int r) HWY_ATTR {
          Group acc[kRowCount][kColumns];
          clear(acc);
          multiply_panel(dy_chunk + (first + r) * lanes, lanes, terms, panel, acc);
          for (int k = 0; k < kRowCount; ++k)
            for (int c = 0; c < kColumns; ++c)
              dw[static_cast<size_t>(first + r + k) * in + i + c] += sum_lanes(acc[k][c]);
        });
      });
    }
    if (!dbias) return;
    each_block<4, 1>(out, [&]<int kRowCount>(int r) HWY_ATTR {
      Group acc[kRowCount];
      for (int k = 0; k < kRowCount; ++k) acc[k] = zero();
      for (int position = 0; position < position_count; ++position) {
        const float* rows = dy_chunk + position * out * lanes + r * lanes;
        for (int group = 0; group < group_count; ++group)
          for (int k = 0; k < kRowCount; ++k) acc[k] = acc[k] + load(rows + k * lanes + group * kGroup);
      }
      for (int k = 0; k < kRowCount; ++k) dbias[r + k] += sum_lanes(acc[k]);
    });
  };
  for (int p = 0; p < positions; p += chunk_positions)
    for (int g = 0; g < groups; g += chunk_groups)
      add_chunk(p, std::min(chunk_positions, positions - p), g, std::min(chunk_groups, groups - g));
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(Project);
HWY_EXPORT(ProjectWeightsBackward);

void project_forward(const float* w, const float* bias, int out, int in, const float* x, float* y, int positions, int n,
                     bool add) {
  HWY_DYNAMIC_DISPATCH(Project)(w, in, 1, bias, out, in, x, y, positions, n, add);
}
void project_backward(const float* w, int out, int in, const float* dy, float* dx, int positions, int n, bool add) {
  HWY_DYNAMIC_DISPATCH(Project)(w, 1, in, nullptr, in, out, dy, dx, positions, n, add);
}
void project_weights_backward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                              int n) {
  HWY_DYNAMIC_DISPATCH(ProjectWeightsBackward)(dw, dbias, out, in, dy, x, positions, n);
}

}  // namespace atto
#endif
