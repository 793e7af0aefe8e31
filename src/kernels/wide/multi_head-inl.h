// What attention of many heads is made of: the problems it falls into, and softmax over the keys that a query sees.
//
// A query sees keys a multiple of the mask's stride away, so positions fall into classes that never meet: each is a
// dense problem of its own, in which query u sees the keys first(u) .. last(u)-1, both growing with u. A block of
// queries is computed over all keys that any of them sees; weights of unseen keys are 0, and add nothing to a sum.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_WIDE_MULTI_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_WIDE_MULTI_HEAD_INL_H_
#undef ATTO_KERNELS_WIDE_MULTI_HEAD_INL_H_
#else
#define ATTO_KERNELS_WIDE_MULTI_HEAD_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>

#include "kernels/wide/tile-inl.h"
#include "kernels/wide/wide_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

static_assert(kQueriesTogether <= kTileRows);

// What goes through the passes together: some queries of one class, for one head and one group of lanes.
struct Part {
  const HeadsShape& shape;
  size_t n;
  int head, lane, residue;
  int step, first;  // query u of the class stands at position first + u·step, key v at residue + v·step
  Range queries;    // of the class
  Range seen_by[kQueriesTogether];

  int position(int u) const { return first + u * step; }
  // Keys that any of the queries sees.
  Range seen(const Range& u) const {
    return {seen_by[u.first - queries.first].first, seen_by[u.last - 1 - queries.first].last};
  }
  // The queries of this part that see any of the keys.
  Range seeing(const Range& v) const {
    Range u = queries;
    while (u.first < u.last && seen({u.first, u.first + 1}).last <= v.first) ++u.first;
    while (u.first < u.last && seen({u.last - 1, u.last}).first >= v.last) --u.last;
    return u;
  }

  // The head's features in activations of the queries, or of the keys and values.
  template <class Float>
  Matrix<Float> of_queries(Float* x, int width) const {
    const size_t features = shape.heads * width, place = first - shape.first_query;
    return {x + (place * features + head * width) * n + lane, step * features * n, n};
  }
  template <class Float>
  Matrix<Float> of_keys(Float* x, int width) const {
    const size_t features = shape.shared ? width : shape.heads * width, own = shape.shared ? 0 : head * width;
    return {x + (residue * features + own) * n + lane, step * features * n, n};
  }
  // The weights of query u at key v.
  template <class Float>
  Matrix<Float> weights(Float* a) const {
    const size_t keys = shape.keys, row = head * static_cast<size_t>(shape.queries()) + first - shape.first_query;
    return {a + (row * keys + residue) * n + lane, step * keys * n, step * n};
  }
};

// Calls go(part) for all parts of a head.
template <class Go>
HWY_INLINE void each_part(const HeadsShape& shape, int head, int n, const Go& go) {
  const int step = shape.mask.stride;
  for (int residue = 0; residue < step; ++residue) {
    const int first = shape.first_query + ((residue - shape.first_query) % step + step) % step;
    const int queries = first < shape.keys ? (shape.keys - 1 - first) / step + 1 : 0;
    for (int u = 0; u < queries; u += kQueriesTogether) {
      Part part{shape, static_cast<size_t>(n), head, 0, residue, step, first, {}, {}};
      part.queries = {u, std::min(u + kQueriesTogether, queries)};
      for (int i = u; i < part.queries.last; ++i) {
        const SeenKeys seen = seen_keys(shape.mask, part.position(i), shape.keys);
        const int v = (seen.first - residue) / step;
        part.seen_by[i - u] = {v, v + seen.count};
      }
      for (part.lane = 0; part.lane < n; part.lane += kLanes) go(part);
    }
  }
}

// Sums and maxima over keys run in so many strands on every target: one would wait for itself.
inline constexpr int kInterleaved = 4;

// Softmax of one query's scores, in place, and zeros at the keys it does not see. `bias` is that of key 0: those of the
// next keys stand before it. `sink` (nullptr: none) is one more logit, whose weight is left out.
HWY_NOINLINE static void softmax_seen(const SeenKeys& seen, int keys, float factor, const float* bias, float* row,
                                      size_t n, const float* sink = nullptr) {
  const Group scale = broadcast(factor * kLog2E);
  const auto score = [&](int j) HWY_ATTR {
    const Group added = broadcast(bias ? bias[-j] * kLog2E : 0.0f);
    return factor == 0 ? added : fma(load(row + j * n), scale, added);
  };
  const int step = seen.step, end = seen.first + seen.count * step;
  Group highest[kInterleaved];
  for (int m = 0; m < kInterleaved; ++m) highest[m] = score(seen.first);
  int j = seen.first;
  for (; j + (kInterleaved - 1) * step < end; j += kInterleaved * step)
    for (int m = 0; m < kInterleaved; ++m) highest[m] = maximum(score(j + m * step), highest[m]);
  for (; j < end; j += step) highest[0] = maximum(score(j), highest[0]);
  Group shift = maximum(maximum(highest[0], highest[1]), maximum(highest[2], highest[3]));
  Group total = zero();
  if (sink) {
    const Group logit = broadcast(*sink * kLog2E);
    shift = maximum(logit, shift);
    total = power_of_two(logit - shift);
  }
  for (j = seen.first; j + (kInterleaved - 1) * step < end; j += kInterleaved * step) {
    Group x[kInterleaved], e[kInterleaved];
    ATTO_UNROLLED for (int m = 0; m < kInterleaved; ++m) x[m] = score(j + m * step) - shift;
    powers_of_two(x, e);
    ATTO_UNROLLED for (int m = 0; m < kInterleaved; ++m) {
      store(e[m], row + (j + m * step) * n);
      total = total + e[m];
    }
  }
  for (; j < end; j += step) {
    const Group e = power_of_two(score(j) - shift);
    store(e, row + j * n);
    total = total + e;
  }
  const Group inverse = broadcast(1.0f) / total;
  int unseen = 0;
  for (j = seen.first; j < end; j += step) {
    for (; unseen < j; ++unseen) store(zero(), row + unseen * n);
    unseen = j + 1;
    store(load(row + j * n) * inverse, row + j * n);
  }
  for (; unseen < keys; ++unseen) store(zero(), row + unseen * n);
}

// From da to scale · ds, in place, for one query; `bias_lanes` (nullptr: none) are the sums of key 0's bias gradient.
//   a = softmax(s):  ds_j = a_j (da_j - Σ_k a_k da_k)
HWY_NOINLINE static void softmax_backward(const Part& part, int u, const Input& a, const Output& ds,
                                          float* bias_lanes) {
  const Range seen = part.seen({u, u + 1}), all = part.seen(part.queries);
  const Group scale = broadcast(part.shape.scale);
  Group sums[kInterleaved];
  for (int m = 0; m < kInterleaved; ++m) sums[m] = zero();
  int v = seen.first;
  for (; v + kInterleaved <= seen.last; v += kInterleaved)
    for (int m = 0; m < kInterleaved; ++m) sums[m] = fma(load(a(u, v + m)), load(ds(u, v + m)), sums[m]);
  for (; v < seen.last; ++v) sums[0] = fma(load(a(u, v)), load(ds(u, v)), sums[0]);
  const Group expected = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (v = all.first; v < seen.first; ++v) store(zero(), ds(u, v));
  for (v = seen.first; v < seen.last; ++v) {
    hwy::Prefetch(a(u + 1, v));
    const Group dsv = load(a(u, v)) * (load(ds(u, v)) - expected);
    store(dsv * scale, ds(u, v));
    if (!bias_lanes) continue;
    float* lanes = bias_lanes - v * part.step * kLanes;
    store(load(lanes) + dsv, lanes);
  }
  for (v = seen.last; v < all.last; ++v) store(zero(), ds(u, v));
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
