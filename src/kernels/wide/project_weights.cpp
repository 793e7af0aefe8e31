// Gradients of the weights of wide linear maps: dW[r][c] = Σ dy[r] x[c] over positions and lanes.
//
// A sum over lanes would have to be folded at its end. So x is transposed instead, 16 columns at a time, such that a
// group holds 16 columns of one lane: the columns of dW then lie in the lanes of a block in registers, dy is broadcast
// from where it lies, and a term of the sum is one lane of one position.
#include <hwy/cache_control.h>

#include <algorithm>

#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/project_weights.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"
#include "kernels/wide/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Of a block in registers; a panel is kLanes columns.
inline constexpr int kWeightRows = HWY_CAP_GE512 ? 12 : kGroupsHeld == 8 ? 6 : 4;
inline constexpr int kPanels = HWY_CAP_GE512 ? 2 : 1;
// Terms summed before they are added to dW, the same on every target: the panels of a block fit the first-level cache.
inline constexpr int kTerms = 256;
// Panels transposed at a time, and rows of dy that meet them in the second-level cache.
inline constexpr int kPanelsMeeting = 8;
inline constexpr int kRowsMeeting = 192;

// The terms of a chunk: some positions of all lanes, or some lanes of one position.
struct TermChunk {
  int position, positions, lane, lanes;

  int terms() const { return positions * lanes; }
  const float* in(const float* x, int features, size_t n) const { return x + position * features * n + lane; }
};

// panel[term][c] = x[c] of `columns` columns of a chunk that starts at x, and 0 for the rest of kLanes.
void transpose_panel(const TermChunk& chunk, const float* x, int features, size_t n, int columns, float* panel) {
  for (int p = 0; p < chunk.positions; ++p) {
    for (int l = 0; l < chunk.lanes; l += kLanes) {
      const float* from = x + p * features * n + l;
      float* to = panel + (p * chunk.lanes + l) * kLanes;
      if (columns <= kLanes - 4)  // whole lines: the fours that no column reaches, at less than their own stores
        for (int i = 0; i < kLanes; ++i) store(zero(), to + i * kLanes);
      int c = 0;
      for (; c + 4 <= columns; c += 4) transpose_fours(from + c * n, n, to + c, kLanes);
      if (c < columns) transpose_fours(from + c * n, n, to + c, kLanes, columns - c);
    }
  }
}

// dw[r][c] += Σ_terms dy[r] panel[c] for kRowCount rows from dy on and kPanelCount panels one after the other.
// kLaneCount: n, where it is known to the compiler, else 0.
template <int kRowCount, int kPanelCount, int kLaneCount>
HWY_NOINLINE void add_block(const TermChunk& chunk, const float* dy, int features, size_t lanes, const float* panel,
                            float* dw, size_t dw_row, int columns) {
  const size_t n = kLaneCount > 0 ? kLaneCount : lanes, next_panel = chunk.terms() * kLanes;
  Group acc[kRowCount][kPanelCount];
  HWY_UNROLL(16) for (int r = 0; r < kRowCount; ++r) {
    HWY_UNROLL(16) for (int k = 0; k < kPanelCount; ++k) acc[r][k] = zero();
  }
  for (int p = 0; p < chunk.positions; ++p) {
    for (int l = 0; l < chunk.lanes; ++l) {
      hwy::Prefetch(dy + features * n + l * kLanes);  // of the next position
      Group x[kPanelCount];
      HWY_UNROLL(16) for (int k = 0; k < kPanelCount; ++k) x[k] = load(panel + k * next_panel);
      HWY_UNROLL(16) for (int r = 0; r < kRowCount; ++r) {
        const Group d = broadcast(dy[r * n + l]);
        HWY_UNROLL(16) for (int k = 0; k < kPanelCount; ++k) acc[r][k] = fma(d, x[k], acc[r][k]);
      }
      panel += kLanes;
    }
    dy += features * n;
  }
  HWY_UNROLL(16) for (int r = 0; r < kRowCount; ++r) {
    HWY_UNROLL(16) for (int k = 0; k < kPanelCount; ++k) {
      float* to = dw + r * dw_row + k * kLanes;
      const int own = columns - k * kLanes;
      if (own >= kLanes) {
        store(load(to) + acc[r][k], to);
      } else {
        HWY_ALIGN float sums[kLanes];
        store(acc[r][k], sums);
        for (int c = 0; c < own; ++c) to[c] += sums[c];
      }
    }
  }
}

template <int kLaneCount>
void add_outer_products(const TermChunk& chunk, int rows, int columns, const float* dy, int dy_features, const float* x,
                        int x_features, size_t n, float* dw) {
  HWY_ALIGN float panels[kPanelsMeeting * kTerms * kLanes];
  const size_t panel = chunk.terms() * kLanes, dw_row = x_features;
  const int panel_count = (columns + kLanes - 1) / kLanes;
  for (int k = 0; k < panel_count; ++k)
    transpose_panel(chunk, x + k * kLanes * n, x_features, n, std::min(kLanes, columns - k * kLanes),
                    panels + k * panel);
  for (int first = 0; first < rows; first += kRowsMeeting) {
    const int together = std::min(kRowsMeeting, rows - first);
    each_block<kPanels, 1>(panel_count, [&]<int kPanelCount>(int k) HWY_ATTR {
      each_block_of_rows<kWeightRows>(together, [&]<int kRowCount>(int r) HWY_ATTR {
        const int row = first + r, column = k * kLanes;
        add_block<kRowCount, kPanelCount, kLaneCount>(chunk, dy + row * n, dy_features, n, panels + k * panel,
                                                      dw + row * dw_row + column, dw_row, columns - column);
      });
    });
  }
}

void add_row_sums(const TermChunk& chunk, int rows, const float* dy, size_t n, float* dbias) {
  each_block<4, 1>(rows, [&]<int kRowCount>(int r) HWY_ATTR {
    Group acc[kRowCount];
    for (int k = 0; k < kRowCount; ++k) acc[k] = zero();
    for (int p = 0; p < chunk.positions; ++p)
      for (int l = 0; l < chunk.lanes; l += kLanes)
        for (int k = 0; k < kRowCount; ++k) acc[k] = acc[k] + load(dy + (p * rows + r + k) * n + l);
    for (int k = 0; k < kRowCount; ++k) dbias[r + k] += sum_lanes(acc[k]);
  });
}

void ProjectWeightsBackward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                            int n) {
  if (n == 0) return;
  constexpr int kColumns = kPanelsMeeting * kLanes;
  const auto add = n == 32 ? add_outer_products<32> : n == 16 ? add_outer_products<16> : add_outer_products<0>;
  const int lanes = std::min(n, kTerms), together = std::max(1, kTerms / n);
  for (int p = 0; p < positions; p += together) {
    for (int l = 0; l < n; l += lanes) {
      const TermChunk chunk{p, std::min(together, positions - p), l, std::min(lanes, n - l)};
      const float *dy_chunk = chunk.in(dy, out, n), *x_chunk = chunk.in(x, in, n);
      for (int c = 0; c < in; c += kColumns)
        add(chunk, out, std::min(kColumns, in - c), dy_chunk, out, x_chunk + static_cast<size_t>(c) * n, in, n, dw + c);
      if (dbias) add_row_sums(chunk, out, dy_chunk, n, dbias);
    }
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(ProjectWeightsBackward);

void project_weights_backward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                              int n) {
  HWY_DYNAMIC_DISPATCH(ProjectWeightsBackward)(dw, dbias, out, in, dy, x, positions, n);
}

}  // namespace atto
#endif
