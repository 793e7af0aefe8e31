// Wide linear maps over many positions.
//
// A step is one group of lanes at one position: P·n/16 of them. Several rows and several steps of the result stay in
// registers; the sum over inputs runs in index order whatever the blocking, so every target gives the same bits.
//
// Weights are packed in the order in which they are read, for as many rows and inputs as the second-level cache holds
// beside the rest: rows of W lie powers of two apart and would evict each other.
#include <hwy/cache_control.h>

#include <algorithm>

#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/project.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"
#include "kernels/wide/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Rows and steps of a block of the result. Rows that do not make up whole blocks go in blocks of 8 and fewer.
inline constexpr int kRows = HWY_CAP_GE512 ? 12 : kGroupsHeld == 8 ? 6 : 4;
inline constexpr int kSteps = HWY_CAP_GE512 ? 2 : 1;
// So many inputs of a block's steps stay in the first-level cache.
inline constexpr int kInputs = 256;
// Packed at a time, when so many steps at least read them.
inline constexpr int kPackedRows = 192;
inline constexpr int kLeastSteps = 8;

// W as a sum over terms reads it: weight of term t in row r.
struct Weights {
  const float* w;
  size_t row, term;

  Weights from(int r, int t) const { return {w + r * row + t * term, row, term}; }
};

// The steps of a block: where their inputs and results lie.
template <int kStepCount>
struct Steps {
  const float* x[kStepCount];
  float* y[kStepCount];
};

#define ATTO_EACH_ROW HWY_UNROLL(16) for (int r = 0; r < kRowCount; ++r)
#define ATTO_EACH_STEP HWY_UNROLL(16) for (int s = 0; s < kStepCount; ++s)

// y_r += Σ_t w_rt x_t for kRowCount rows from `row` on; `from_zero` takes the old y as 0, `bias` is added before the
// sum. `kAdjacent` says that the weights of a term lie side by side. `ahead` is what later blocks will read: a line of
// it is fetched with every term.
template <int kRowCount, int kStepCount, bool kAdjacent>
HWY_NOINLINE void project_block(const Weights& weights, int terms, const Steps<kStepCount>& steps, int first, int row,
                                size_t n, bool from_zero, const float* bias, const float* ahead) {
  Group acc[kRowCount][kStepCount];
  const float* xs[kStepCount];
  ATTO_EACH_STEP xs[s] = steps.x[s] + first * n;
  ATTO_EACH_ROW {
    const Group shift = broadcast(bias ? bias[row + r] : 0.0f);
    ATTO_EACH_STEP {
      if (from_zero) hwy::Prefetch(steps.y[s] + (row + r) * n);
      const Group old = from_zero ? zero() : load(steps.y[s] + (row + r) * n);
      acc[r][s] = bias ? old + shift : old;
    }
  }
  const float* w = weights.w;
  const size_t next_row = kAdjacent ? 1 : weights.row;
  for (int t = 0; t < terms; ++t) {
    hwy::Prefetch(ahead + t * kLanes);
    Group xt[kStepCount];
    ATTO_EACH_STEP {
      xt[s] = load(xs[s]);
      xs[s] += n;
    }
    ATTO_EACH_ROW {
      const Group weight = broadcast(w[r * next_row]);
      ATTO_EACH_STEP acc[r][s] = fma(weight, xt[s], acc[r][s]);
    }
    w += weights.term;
  }
  ATTO_EACH_ROW { ATTO_EACH_STEP store(acc[r][s], steps.y[s] + (row + r) * n); }
}

// packed = for each block of rows [terms][rows of the block]
void pack_weights(const Weights& weights, int rows, int terms, float* packed) {
  each_block_of_rows<kRows>(rows, [&]<int kRowCount>(int row) HWY_ATTR {
    const Weights from = weights.from(row, 0);
    float* to = packed + row * terms;
    int t = 0;
    // Four rows at a time, the last ones first: of six, the zeros beyond them stand where the first rows go then.
    if ((kRowCount % 4 == 0 || kRowCount == 6) && from.term == 1) {
      for (; t + kLanes <= terms; t += kLanes)
        for (int r = (kRowCount - 1) / 4 * 4; r >= 0; r -= 4)
          transpose_fours(from.w + r * from.row + t, from.row, to + t * kRowCount + r, kRowCount, kRowCount - r);
    } else if (from.row == 1) {
      for (; t < terms; ++t) std::copy_n(from.w + t * from.term, kRowCount, to + t * kRowCount);
    }
    for (; t < terms; ++t)
      for (int r = 0; r < kRowCount; ++r) to[t * kRowCount + r] = from.w[r * from.row + t * from.term];
  });
}

// The whole map, as Project() is told it.
struct Map {
  Weights weights;
  const float* bias;
  int rows, terms;
  const float* x;
  float* y;
  int positions, n;
  bool add;

  // Calls go(steps) for blocks of steps.
  template <class Go>
  HWY_INLINE void each_step(const Go& go) const {
    const int groups = n / kLanes;
    each_block<kSteps, 1>(positions * groups, [&]<int kStepCount>(int step) HWY_ATTR {
      Steps<kStepCount> steps;
      for (int s = 0; s < kStepCount; ++s) {
        const size_t position = (step + s) / groups, lane = (step + s) % groups * kLanes;
        steps.x[s] = x + position * terms * n + lane;
        steps.y[s] = y + position * rows * n + lane;
      }
      go(steps);
    });
  }
};

// Rows first_row .. first_row + rows - 1 over the terms first .. first + terms - 1.
template <bool kPacked>
void project_part(const Map& map, int first_row, int rows, int first, int terms, const float* packed) {
  const bool from_zero = first == 0 && !map.add;
  const float* bias = first == 0 ? map.bias : nullptr;
  map.each_step([&]<int kStepCount>(const Steps<kStepCount>& steps) HWY_ATTR {
    each_block_of_rows<kRows>(rows, [&]<int kRowCount>(int r) HWY_ATTR {
      const Weights weights =
          kPacked ? Weights{packed + r * terms, 1, kRowCount} : map.weights.from(first_row + r, first);
      // The first blocks of rows fetch the inputs of the next steps between them; later ones find them fetched.
      const size_t next = map.terms * size_t(map.n) + r / kRows % kStepCount * (terms * kLanes);
      project_block<kRowCount, kStepCount, kPacked>(weights, terms, steps, first, first_row + r, map.n, from_zero, bias,
                                                    steps.x[0] + first * size_t(map.n) + next);
    });
  });
}

void Project(const float* w, size_t row_stride, size_t term_stride, const float* bias, int rows, int terms,
             const float* x, float* y, int positions, int n, bool add) {
  const Map map{{w, row_stride, term_stride}, bias, rows, terms, x, y, positions, n, add};
  HWY_ALIGN float packed[kPackedRows * kInputs + 4];  // zeros beyond the last of six rows
  const bool pack = positions * (n / kLanes) >= kLeastSteps;
  for (int t = 0; t < terms; t += kInputs) {
    const int count = std::min(kInputs, terms - t);
    if (!pack) project_part<false>(map, 0, rows, t, count, nullptr);
    for (int row = 0; pack && row < rows; row += kPackedRows) {
      const int together = std::min(kPackedRows, rows - row);
      pack_weights(map.weights.from(row, t), together, count, packed);
      project_part<true>(map, row, together, t, count, packed);
    }
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(Project);

void project_forward(const float* w, const float* bias, int out, int in, const float* x, float* y, int positions, int n,
                     bool add) {
  HWY_DYNAMIC_DISPATCH(Project)(w, in, 1, bias, out, in, x, y, positions, n, add);
}
void project_backward(const float* w, int out, int in, const float* dy, float* dx, int positions, int n, bool add) {
  HWY_DYNAMIC_DISPATCH(Project)(w, 1, in, nullptr, in, out, dy, dx, positions, n, add);
}

}  // namespace atto
#endif
