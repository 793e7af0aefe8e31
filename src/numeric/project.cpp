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
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int s = 0; s < kStepCount; ++s) {
      acc[r][s] = from_zero ? zero() : load(y[s] + (row + r) * n);
      if (bias) acc[r][s] = acc[r][s] + broadcast(bias[row + r]);
    }
  }
  const float* xs[kStepCount];
  ATTO_UNROLLED for (int s = 0; s < kStepCount; ++s) xs[s] = x[s];
  const float* w = weights.w + row * weights.row;
  for (int t = 0; t < terms; ++t) {
    Group xt[kStepCount];
    ATTO_UNROLLED for (int s = 0; s < kStepCount; ++s) xt[s] = load(xs[s] + t * n);
    ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
      const Group weight = broadcast(w[r * weights.row]);
      ATTO_UNROLLED for (int s = 0; s < kStepCount; ++s) acc[r][s] = fma(weight, xt[s], acc[r][s]);
    }
    w += weights.term;
  }
  ATTO_UNROLLED for (int r = 0; r < kRowCount; ++r) {
    ATTO_UNROLLED for (int s = 0; s < kStepCount; ++s) store(acc[r][s], y[s] + (row + r) * n);
  }
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

// Columns of x and rows of dy that meet in the caches: so many columns are packed, for so many rows at a time.
inline constexpr int kPackedColumns = 64;
inline constexpr int kRowsMeeting = 256;

// The steps of a chunk, as many as a panel holds: chunks decide the order of the sums over steps.
struct StepChunk {
  int position, positions, group, groups;

  int steps() const { return positions * groups; }
  Terms terms(int features, size_t n) const { return {positions, features * n, groups, kGroup}; }
  // The chunk's first step in an activation.
  const float* in(const float* x, int features, size_t n) const { return x + position * features * n + group * kGroup; }
};

// dW[r][c] += Σ_steps dy x for `rows` rows and `columns` columns, whose first steps are at dy and x.
void add_outer_products(const StepChunk& chunk, int rows, int columns, const float* dy, const Terms& dy_terms,
                        const float* x, const Terms& x_terms, size_t n, float* dw, size_t dw_row) {
  HWY_ALIGN float packed[kPackedColumns * kPanelTerms * kGroup], panel[kPanelFloats];
  const int steps = chunk.steps();
  each_row_block(columns, [&]<int kColumns>(int c)
                              HWY_ATTR { pack_panel<kColumns>(x + c * n, n, x_terms, packed + c * steps * kGroup); });
  each_column_block(rows, [&]<int kRowCount>(int r) HWY_ATTR {
    pack_panel<kRowCount>(dy + r * n, n, dy_terms, panel);
    each_row_block(columns, [&]<int kColumns>(int c) HWY_ATTR {
      HWY_ALIGN float sums[kRowCount][kColumns][kGroup];
      multiply_panel<kColumns, kRowCount>(packed + c * steps * kGroup, kGroup, kColumns * kGroup, steps, panel,
                                          sums[0][0], kGroup, kColumns * kGroup, true);
      for (int k = 0; k < kRowCount; ++k) {
        float* to = dw + (r + k) * dw_row + c;
        if constexpr (kColumns == 4) {
          add_lane_sums(sums[k][0], to);
        } else {
          for (int i = 0; i < kColumns; ++i) to[i] += sum_lanes(load(sums[k][i]));
        }
      }
    });
  });
}

void add_row_sums(const StepChunk& chunk, int rows, const float* dy, size_t n, float* dbias) {
  each_block<4, 1>(rows, [&]<int kRowCount>(int r) HWY_ATTR {
    Group acc[kRowCount];
    for (int k = 0; k < kRowCount; ++k) acc[k] = zero();
    for (int p = 0; p < chunk.positions; ++p)
      for (int g = 0; g < chunk.groups; ++g)
        for (int k = 0; k < kRowCount; ++k) acc[k] = acc[k] + load(dy + (p * rows + r + k) * n + g * kGroup);
    for (int k = 0; k < kRowCount; ++k) dbias[r + k] += sum_lanes(acc[k]);
  });
}

void ProjectWeightsBackward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                            int n) {
  const size_t lanes = n, dw_row = in;
  const int groups = n / kGroup, chunk_groups = std::min(groups, kPanelTerms);
  const int chunk_positions = std::max(1, kPanelTerms / std::max(groups, 1));
  for (int p = 0; p < positions; p += chunk_positions) {
    for (int g = 0; g < groups; g += chunk_groups) {
      const StepChunk chunk{p, std::min(chunk_positions, positions - p), g, std::min(chunk_groups, groups - g)};
      const float *dy_chunk = chunk.in(dy, out, lanes), *x_chunk = chunk.in(x, in, lanes);
      for (int o = 0; o < out; o += kRowsMeeting)
        for (int i = 0; i < in; i += kPackedColumns)
          add_outer_products(chunk, std::min(kRowsMeeting, out - o), std::min(kPackedColumns, in - i),
                             dy_chunk + o * lanes, chunk.terms(out, lanes), x_chunk + i * lanes, chunk.terms(in, lanes),
                             lanes, dw + o * dw_row + i, dw_row);
      if (dbias) add_row_sums(chunk, out, dy_chunk, lanes, dbias);
    }
  }
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
