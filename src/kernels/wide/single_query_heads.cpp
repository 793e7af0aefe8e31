#include "kernels/wide/single_query_heads.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/single_query_heads.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"
#include "kernels/wide/attention_form-inl.h"
#include "kernels/wide/multi_head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Rows and columns of a block in registers. Nothing is packed: what is read is read about once.
inline constexpr int kBlock = HWY_CAP_GE512 ? 4 : 2;
// Keys that go through a sum over keys together, so that their features are read along.
inline constexpr int kKeysTogether = 16;

// out[r][c] (+)= Σ_t a[r][t] b[t][c] for a block at (r, c) and the terms of a range.
template <int kRowCount, int kColumnCount>
HWY_NOINLINE void add_products(int r, int c, const Range& terms, const Input& a, const Input& b, const Output& out,
                               bool from_zero) {
  Group acc[kRowCount][kColumnCount];
  ATTO_UNROLLED for (int i = 0; i < kRowCount; ++i) {
    ATTO_UNROLLED for (int j = 0; j < kColumnCount; ++j) { acc[i][j] = from_zero ? zero() : load(out(r + i, c + j)); }
  }
  const float *at = a(r, terms.first), *bt = b(terms.first, c);
  for (int t = terms.first; t < terms.last; ++t) {
    Group ar[kRowCount];
    ATTO_UNROLLED for (int i = 0; i < kRowCount; ++i) ar[i] = load(at + i * a.row);
    ATTO_UNROLLED for (int j = 0; j < kColumnCount; ++j) {
      const Group bc = load(bt + j * b.column);
      ATTO_UNROLLED for (int i = 0; i < kRowCount; ++i) acc[i][j] = fma(ar[i], bc, acc[i][j]);
    }
    at += a.column;
    bt += b.row;
  }
  ATTO_UNROLLED for (int i = 0; i < kRowCount; ++i) {
    ATTO_UNROLLED for (int j = 0; j < kColumnCount; ++j) store(acc[i][j], out(r + i, c + j));
  }
}

template <class Go>
HWY_INLINE void each_short_block(const Range& range, const Go& go) {
  if constexpr (kBlock == 4) each_block<4, 2, 1>(range.last, go, range.first);
  else each_block<2, 1>(range.last, go, range.first);
}

// The same for ranges of rows and columns; the blocks of rows pass one after the other over each block of columns.
HWY_INLINE void products(const Range& rows, const Range& columns, const Range& terms, const Input& a, const Input& b,
                         const Output& out, bool from_zero) {
  each_short_block(columns, [&]<int kColumnCount>(int c) HWY_ATTR {
    each_short_block(rows, [&]<int kRowCount>(int r)
                               HWY_ATTR { add_products<kRowCount, kColumnCount>(r, c, terms, a, b, out, from_zero); });
  });
}

// out[h][c] = Σ_j w[h][j] x[j][c] over the keys j of a range.
HWY_INLINE void sums_over_keys(int heads, int width, const Range& keys, const Input& w, const Input& x,
                               const Output& out) {
  for (int j = keys.first; j < keys.last; j += kKeysTogether)
    products({0, heads}, {0, width}, {j, std::min(j + kKeysTogether, keys.last)}, w, x, out, j == keys.first);
}

// Matrices of one class of keys and one group of lanes whose rows are the heads.
struct SharedPart {
  const Part& part;

  // q, o, dq: [H][width]
  template <class Float>
  Matrix<Float> by_head(Float* x, int width) const {
    return {x + part.lane, width * part.n, part.n};
  }
  // [H][keys of the class]
  template <class Float>
  Matrix<Float> weights(Float* a) const {
    return {a + part.residue * part.n + part.lane, part.shape.keys * part.n, part.step * part.n};
  }
};

// The keys of one head.
template <class Float>
HWY_INLINE Matrix<Float> keys_of_head(const Part& part, Float* k, int head) {
  const HeadsShape& shape = part.shape;
  if (!shape.own_keys) return part.of_keys(k, shape.key_width);
  const size_t features = shape.heads * shape.key_width, own = head * shape.key_width;
  return {k + (part.residue * features + own) * part.n + part.lane, part.step * features * part.n, part.n};
}

// raw[h][j] = q·k_j, or the squared distances
HWY_INLINE void raw_scores(const SharedPart& shared, const Range& seen, const float* q, const float* k,
                           const Output& raw) {
  const Part& part = shared.part;
  const HeadsShape& shape = part.shape;
  const Input queries = shared.by_head(q, shape.key_width);
  if (shape.scores == ScoreForm::dot && !shape.own_keys) {
    products({0, shape.heads}, seen, {0, shape.key_width}, queries, part.of_keys(k, shape.key_width).transposed(), raw,
             true);
    return;
  }
  for (int h = 0; h < shape.heads; ++h) {
    const Input keys = keys_of_head(part, k, h);
    if (shape.scores == ScoreForm::dot)
      products({h, h + 1}, seen, {0, shape.key_width}, queries, keys.transposed(), raw, true);
    else squared_distances(h, seen, shape.key_width, queries, keys, raw);
  }
}

void SingleQueryHeadsForward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* bias,
                             float* a, float* o, int n, const float* sink, float* scores) {
  const int keys = shape.keys, heads = shape.heads, query = shape.first_query;
  const bool plain = shape.plain() && scores == nullptr;
  each_part(shape, 0, n, [&](const Part& part) HWY_ATTR {
    const SharedPart shared{part};
    const Range seen = part.seen(part.queries);
    const Output weights = shared.weights(a);
    if (shape.scale != 0) raw_scores(shared, seen, q, k, weights);
    for (int h = 0; h < heads; ++h) {
      const float* middle = bias ? bias + static_cast<size_t>(h) * (2 * keys - 1) + keys - 1 : nullptr;
      const SeenKeys seen_by_query = seen_keys(shape.mask, query, keys);
      const float* biases = middle ? middle + query : nullptr;
      float* row = weights(h, 0) - part.residue * part.n;
      if (plain) softmax_seen(seen_by_query, keys, shape.scale, biases, row, part.n);
      else
        weigh_seen(shape, seen_by_query, biases, sink ? sink + h : nullptr, row, scores ? scores + (row - a) : nullptr,
                   part.n);
    }
    const Output means = shared.by_head(o, shape.value_width);
    if (seen.first == seen.last) clear(heads, shape.value_width, means);
    sums_over_keys(heads, shape.value_width, seen, shared.weights<const float>(a), part.of_keys(v, shape.value_width),
                   means);
  });
}

void SingleQueryHeadsBackward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* a,
                              const float* d_o, float* dq, float* dk, float* dv, float* dbias, float* scratch, int n,
                              float* dsink, const float* dtotal) {
  const size_t keys = shape.keys, distances = 2 * keys - 1;
  const int heads = shape.heads;
  float* bias_lanes = scratch;                          // [2C-1]
  float* ds_rows = scratch + distances * kLanes;        // [H][C]
  float* sink_lanes = ds_rows + heads * keys * kLanes;  // [1], if there are sinks
  float* apart_rows = sink_lanes + kLanes;              // [H][C], if scores are inverse distances
  if (shape.own_keys && shape.scale != 0) std::fill_n(dk, keys * heads * shape.key_width * n, 0.0f);
  each_part(shape, 0, n, [&](const Part& part) HWY_ATTR {
    const SharedPart shared{part};
    const int u = part.queries.first;
    const Range all{0, heads}, seen = part.seen(part.queries);
    const Input weights = shared.weights(a), d_out = shared.by_head(d_o, shape.value_width);
    const Output ds{ds_rows, keys * kLanes, kLanes};
    const Input d_scores{ds.at, ds.row, ds.column};
    // o = Σ_j a_j v_j:  da_j = do·v_j;  dv_j = Σ_h a_j do
    products(all, seen, {0, shape.value_width}, d_out, part.of_keys(v, shape.value_width).transposed(), ds, true);
    const Output apart{apart_rows, keys * kLanes, kLanes};
    if (shape.scores == ScoreForm::inverse) raw_scores(shared, seen, q, k, apart);
    for (int h = 0; h < heads; ++h) {
      if (dbias) std::fill_n(bias_lanes, distances * kLanes, 0.0f);
      const size_t to_first_key = part.position(u) - part.residue + keys - 1;
      float* of_bias = dbias ? bias_lanes + to_first_key * kLanes : nullptr;
      // Row u of a matrix that begins u rows before that of the head.
      const Input a_h{weights(h, 0) - u * weights.row, weights.row, weights.column};
      const Output ds_h{ds(h, 0) - u * ds.row, ds.row, ds.column};
      if (shape.plain()) {
        softmax_backward(part, u, a_h, ds_h, of_bias);
      } else {
        if (dsink) std::fill_n(sink_lanes, kLanes, 0.0f);
        weights_backward(part, u, a_h, ds_h, {apart(h, 0) - u * apart.row, apart.row, apart.column},
                         {of_bias, dsink ? sink_lanes : nullptr, dtotal ? dtotal + h * part.n + part.lane : nullptr});
        if (dsink) dsink[h] += sum_lanes(load(sink_lanes));
      }
      for (size_t d = 0; dbias && d < distances; ++d)
        dbias[h * distances + d] += sum_lanes(load(bias_lanes + d * kLanes));
    }
    products(seen, {0, shape.value_width}, all, weights.transposed(), d_out, part.of_keys(dv, shape.value_width),
             false);
    if (shape.scale == 0) return;
    const Input queries = shared.by_head(q, shape.key_width);
    const Output d_queries = shared.by_head(dq, shape.key_width);
    if (seen.first == seen.last) clear(heads, shape.key_width, d_queries);
    if (!shape.own_keys) {
      // s_j = scale · q·k_j:  dq = Σ_j scale ds_j k_j;  dk_j = Σ_h scale ds_j q
      sums_over_keys(heads, shape.key_width, seen, d_scores, part.of_keys(k, shape.key_width), d_queries);
      products(seen, {0, shape.key_width}, all, d_scores.transposed(), queries, part.of_keys(dk, shape.key_width),
               false);
      return;
    }
    for (int h = 0; h < heads && seen.first < seen.last; ++h) {
      const Input own_keys = keys_of_head(part, k, h);
      const Output d_keys = keys_of_head(part, dk, h);
      const Range own{h, h + 1}, features{0, shape.key_width};
      if (shape.scores == ScoreForm::dot) {
        products(own, features, seen, d_scores, own_keys, d_queries, true);
        products(seen, features, own, d_scores.transposed(), queries, d_keys, true);
        continue;
      }
      pulls(h, seen, shape.key_width, d_scores, queries, own_keys, d_queries, false);
      for (int j = seen.first; j < seen.last; ++j)
        pulls(j, own, shape.key_width, d_scores.transposed(), own_keys, queries, d_keys, false);
    }
  });
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(SingleQueryHeadsForward);
HWY_EXPORT(SingleQueryHeadsBackward);

void single_query_heads_forward(const HeadsShape& shape, const float* q, const float* k, const float* v,
                                const float* bias, float* a, float* o, int n, const float* sink, float* scores) {
  HWY_DYNAMIC_DISPATCH(SingleQueryHeadsForward)(shape, q, k, v, bias, a, o, n, sink, scores);
}
void single_query_heads_backward(const HeadsShape& shape, const float* q, const float* k, const float* v,
                                 const float* a, const float* d_o, float* dq, float* dk, float* dv, float* dbias,
                                 float* scratch, int n, float* dsink, const float* dtotal) {
  HWY_DYNAMIC_DISPATCH(SingleQueryHeadsBackward)(shape, q, k, v, a, d_o, dq, dk, dv, dbias, scratch, n, dsink, dtotal);
}

}  // namespace atto
#endif
