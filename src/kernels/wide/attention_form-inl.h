// Forms of attention beyond the softmax of dot products: scores by distance, and other ways from scores to weights.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_WIDE_ATTENTION_FORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_WIDE_ATTENTION_FORM_INL_H_
#undef ATTO_KERNELS_WIDE_ATTENTION_FORM_INL_H_
#else
#define ATTO_KERNELS_WIDE_ATTENTION_FORM_INL_H_
#endif

#include "kernels/wide/multi_head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// out[c] = Σ_f (a[f] - b[c][f])² for kCount columns
template <int kCount>
HWY_NOINLINE void squared_distance_block(const float* a, size_t a_feature, const float* b, size_t b_row,
                                         size_t b_feature, int width, float* out, size_t out_column) {
  Group acc[kCount];
  ATTO_UNROLLED for (int c = 0; c < kCount; ++c) acc[c] = zero();
  for (int f = 0; f < width; ++f) {
    const Group af = load(a + f * a_feature);
    ATTO_UNROLLED for (int c = 0; c < kCount; ++c) {
      const Group apart = af - load(b + c * b_row + f * b_feature);
      acc[c] = fma(apart, apart, acc[c]);
    }
  }
  ATTO_UNROLLED for (int c = 0; c < kCount; ++c) store(acc[c], out + c * out_column);
}

// out[r][c] = ‖a[r] - b[c]‖² for one row and a range of columns
HWY_INLINE void squared_distances(int r, const Range& columns, int width, const Input& a, const Input& b,
                                  const Output& out) {
  each_block<4, 1>(
      columns.last,
      [&]<int kCount>(int c) HWY_ATTR {
        squared_distance_block<kCount>(a(r, 0), a.column, b(c, 0), b.row, b.column, width, out(r, c), out.column);
      },
      columns.first);
}

// out[f] (+)= Σ_t w[t] (b[t][f] - a[f]) for kCount features. The difference is taken before it is weighed: where a and
// b nearly coincide, weights are huge.
template <int kCount>
HWY_NOINLINE void pull_block(const Range& terms, const float* w, size_t w_term, const float* a, size_t a_feature,
                             const float* b, size_t b_term, size_t b_feature, float* out, size_t out_feature,
                             bool add) {
  Group acc[kCount], from[kCount];
  ATTO_UNROLLED for (int f = 0; f < kCount; ++f) {
    acc[f] = add ? load(out + f * out_feature) : zero();
    from[f] = load(a + f * a_feature);
  }
  for (int t = terms.first; t < terms.last; ++t) {
    const Group weight = load(w + t * w_term);
    ATTO_UNROLLED for (int f = 0; f < kCount; ++f) acc[f] =
        fma(weight, load(b + t * b_term + f * b_feature) - from[f], acc[f]);
  }
  ATTO_UNROLLED for (int f = 0; f < kCount; ++f) store(acc[f], out + f * out_feature);
}

// out[r] (+)= Σ_t w[r][t] (b[t] - a[r]) for one row and a range of terms
HWY_INLINE void pulls(int r, const Range& terms, int width, const Input& w, const Input& a, const Input& b,
                      const Output& out, bool add) {
  each_block<4, 1>(width, [&]<int kCount>(int f) HWY_ATTR {
    pull_block<kCount>(terms, w(r, 0), w.column, a(r, f), a.column, b(0, f), b.row, b.column, out(r, f), out.column,
                       add);
  });
}

// dq_i = Σ_j w_ij (k_j - q_i);  dk_j (+)= Σ_i w_ij (q_i - k_j)
HWY_INLINE void pull_both(const Part& part, const Input& w, const Input& q, const Input& k, const Output& dq,
                          const Output& dk, bool add) {
  const int width = part.shape.key_width;
  for (int u = part.queries.first; u < part.queries.last; ++u)
    pulls(u, part.seen({u, u + 1}), width, w, q, k, dq, false);
  const Range all = part.seen(part.queries);
  for (int v = all.first; v < all.last; ++v) pulls(v, part.seeing({v, v + 1}), width, w.transposed(), k, q, dk, add);
}

HWY_INLINE void clear(int rows, int columns, const Output& out) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) store(zero(), out(r, c));
}

// From q·k_j, or squared distances, to the weights of one query, in place, with zeros at the keys it does not see.
// `bias` as for softmax_seen; `scores` (nullptr: not wanted) gets the scores, zeros likewise.
HWY_NOINLINE static void weigh_seen(const HeadsShape& shape, const SeenKeys& seen, const float* bias, const float* sink,
                                    float* row, float* scores, size_t n) {
  const int keys = shape.keys, step = seen.step, end = seen.first + seen.count * step;
  const float factor = shape.scores == ScoreForm::dot ? shape.scale : -shape.scale;
  if (shape.scores == ScoreForm::inverse)
    for (int j = seen.first; j < end; j += step)
      store(logarithm(load(row + j * n) + broadcast(kCoincident)), row + j * n);
  // The score times a unit. Factor 0 means that nothing was written to the row.
  const auto score = [&](int j, float unit) HWY_ATTR {
    const Group added = broadcast(bias ? bias[-j] * unit : 0.0f);
    return factor == 0 ? added : fma(load(row + j * n), broadcast(factor * unit), added);
  };
  if (scores) {
    for (int j = 0; j < keys; ++j) store(zero(), scores + j * n);
    for (int j = seen.first; j < end; j += step) store(score(j, 1.0f), scores + j * n);
  }
  constexpr float kNoLogit = 0;
  const Group one = broadcast(1.0f);
  int j = seen.first;
  switch (shape.normalizer) {
    case Normalizer::softmax:
      return softmax_seen(seen, keys, factor, bias, row, n);
    case Normalizer::plus_one:
      return softmax_seen(seen, keys, factor, bias, row, n, &kNoLogit);
    case Normalizer::sink:
      return softmax_seen(seen, keys, factor, bias, row, n, sink);
    case Normalizer::sigmoid:
      for (; j + (kInterleaved - 1) * step < end; j += kInterleaved * step) {
        Group x[kInterleaved], e[kInterleaved];
        ATTO_UNROLLED for (int m = 0; m < kInterleaved; ++m) x[m] = score(j + m * step, -kLog2E);
        powers_of_two(x, e);
        ATTO_UNROLLED for (int m = 0; m < kInterleaved; ++m) store(one / (one + e[m]), row + (j + m * step) * n);
      }
      for (; j < end; j += step) store(one / (one + power_of_two(score(j, -kLog2E))), row + j * n);
      break;
    case Normalizer::linear:
    case Normalizer::linear_mean: {
      const float share = shape.normalizer == Normalizer::linear ? 1.0f : 1.0f / static_cast<float>(seen.count);
      for (; j < end; j += step) store(score(j, share), row + j * n);
      break;
    }
  }
  int unseen = 0;
  for (j = seen.first; j < end; j += step) {
    for (; unseen < j; ++unseen) store(zero(), row + unseen * n);
    unseen = j + 1;
  }
  for (; unseen < keys; ++unseen) store(zero(), row + unseen * n);
}

// Where weights_backward() adds the gradients of one query's bias (that of key 0) and sink, and what it finds of the
// gradient of the weights' sum; nullptr: none.
struct WeightsGradient {
  float* bias_lanes;
  float* sink_lanes;
  const float* dtotal;
};

// From da to w, in place, for one query, so that the gradients of query and keys are
//   dot:       dq = Σ_j w_j k_j,        dk_j = w_j q          with w = scale ds
//   distance:  dq = Σ_j w_j (k_j - q),  dk_j = w_j (q - k_j)  with w = 2 scale ds
//   inverse:   the same                                       with w = 2 scale ds / (‖q - k_j‖² + ε)
// `apart` has the squared distances of inverse scores. The weights give ds:
//   softmax, also with a sink of weight p:  ds_j = a_j (da_j - Σ_k a_k da_k),  db = -p Σ_k a_k da_k
//   sigmoid:                                ds_j = a_j (1 - a_j) da_j
HWY_NOINLINE static void weights_backward(const Part& part, int u, const Input& a, const Output& ds,
                                          const Output& apart, const WeightsGradient& gradient) {
  const HeadsShape& shape = part.shape;
  const Range seen = part.seen({u, u + 1}), all = part.seen(part.queries);
  const Group dtotal = gradient.dtotal ? load(gradient.dtotal) : zero();
  const bool closeness = shape.scores != ScoreForm::dot, exponential = shape.normalizer <= Normalizer::sink;
  const Group factor = broadcast(closeness ? 2 * shape.scale : shape.scale);
  const Group share =
      broadcast(shape.normalizer == Normalizer::linear_mean ? 1.0f / static_cast<float>(seen.last - seen.first) : 1.0f);
  Group expected = zero();
  if (exponential) {
    Group total = zero();
    for (int v = seen.first; v < seen.last; ++v) {
      const Group weight = load(a(u, v));
      expected = fma(weight, load(ds(u, v)) + dtotal, expected);
      total = total + weight;
    }
    if (gradient.sink_lanes)
      store(load(gradient.sink_lanes) - (broadcast(1.0f) - total) * expected, gradient.sink_lanes);
  }
  for (int v = all.first; v < seen.first; ++v) store(zero(), ds(u, v));
  for (int v = seen.first; v < seen.last; ++v) {
    const Group da = load(ds(u, v)) + dtotal, weight = load(a(u, v));
    Group dsv = exponential ? weight * (da - expected) : da * share;
    if (shape.normalizer == Normalizer::sigmoid) dsv = weight * (broadcast(1.0f) - weight) * da;
    if (gradient.bias_lanes) {
      float* lanes = gradient.bias_lanes - v * part.step * kLanes;
      store(load(lanes) + dsv, lanes);
    }
    if (shape.scores == ScoreForm::inverse) dsv = dsv / (load(apart(u, v)) + broadcast(kCoincident));
    store(dsv * factor, ds(u, v));
  }
  for (int v = seen.last; v < all.last; ++v) store(zero(), ds(u, v));
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
