// Softmax attention of many heads and queries, one head and one group of lanes at a time.
#include <algorithm>

#include "kernels/wide/single_query_heads.h"
#include "kernels/wide/wide_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide/multi_head.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"
#include "kernels/wide/attention_form-inl.h"
#include "kernels/wide/multi_head-inl.h"
#include "kernels/wide/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

void HeadsForward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* bias, float* a,
                  float* o, int n, const float* sink, float* scores) {
  const int keys = shape.keys;
  const bool plain = shape.plain() && scores == nullptr;
  Tile tile;
  // Queries that see nothing are in no sum.
  if (!shape.mask.own) std::fill_n(o, static_cast<size_t>(shape.queries()) * shape.heads * shape.value_width * n, 0.0f);
  for (int h = 0; h < shape.heads; ++h) {
    const float* middle = bias ? bias + static_cast<size_t>(h) * (2 * keys - 1) + keys - 1 : nullptr;
    each_part(shape, h, n, [&](const Part& part) HWY_ATTR {
      const auto seen = [&](const Range& u) { return part.seen(u); };
      const Output weights = part.weights(a);
      if (shape.scale != 0 && shape.scores == ScoreForm::dot)
        dot_products(part.queries, seen, shape.key_width, part.of_queries(q, shape.key_width),
                     part.of_keys(k, shape.key_width), weights, tile);
      for (int u = part.queries.first; u < part.queries.last; ++u) {
        const int i = part.position(u);
        const SeenKeys seen_by_query = seen_keys(shape.mask, i, keys);
        const float* biases = middle ? middle + i : nullptr;
        float* row = weights(u, 0) - part.residue * part.n;
        if (plain) {
          softmax_seen(seen_by_query, keys, shape.scale, biases, row, part.n);
          continue;
        }
        if (shape.scores != ScoreForm::dot)
          squared_distances(u, part.seen({u, u + 1}), shape.key_width, part.of_queries(q, shape.key_width),
                            part.of_keys(k, shape.key_width), weights);
        weigh_seen(shape, seen_by_query, biases, sink ? sink + h : nullptr, row, scores ? scores + (row - a) : nullptr,
                   part.n);
      }
      weighted_sums(part.queries, seen, shape.value_width, part.weights<const float>(a),
                    part.of_keys(v, shape.value_width), part.of_queries(o, shape.value_width), false, tile);
    });
  }
}

// Whether the first part of a head sees all keys, so that it can write what later ones add to.
bool first_part_sees_all(const HeadsShape& shape) {
  const int last_query = std::min(shape.first_query + kQueriesTogether, shape.keys) - 1;
  const SeenKeys first = seen_keys(shape.mask, shape.first_query, shape.keys);
  const SeenKeys last = seen_keys(shape.mask, last_query, shape.keys);
  return shape.mask.stride == 1 && first.first == 0 && last.first + last.count == shape.keys;
}

void HeadsBackward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* a,
                   const float* d_o, float* dq, float* dk, float* dv, float* dbias, float* scratch, int n,
                   float* dsink) {
  const size_t keys = shape.keys, distances = 2 * keys - 1;
  const size_t rows = std::min(shape.queries(), kQueriesTogether);
  float* bias_lanes = scratch;                         // [2C-1]: sums over queries and groups
  float* ds_rows = scratch + distances * kLanes;       // [queries of a part][C]
  float* sink_lanes = ds_rows + rows * keys * kLanes;  // [1], if there are sinks
  float* apart_rows = sink_lanes + kLanes;             // like ds_rows, if scores are inverse distances
  const bool writes = !shape.shared && first_part_sees_all(shape);
  if (!writes && !shape.shared) {
    const size_t numbers = keys * shape.heads * n;
    std::fill_n(dv, numbers * shape.value_width, 0.0f);
    if (shape.scale != 0) std::fill_n(dk, numbers * shape.key_width, 0.0f);
  }
  if (!shape.mask.own && shape.scale != 0)
    std::fill_n(dq, static_cast<size_t>(shape.queries()) * shape.heads * shape.key_width * n, 0.0f);
  Tile tile;
  for (int h = 0; h < shape.heads; ++h) {
    if (dbias) std::fill_n(bias_lanes, distances * kLanes, 0.0f);
    if (dsink) std::fill_n(sink_lanes, kLanes, 0.0f);
    each_part(shape, h, n, [&](const Part& part) HWY_ATTR {
      const auto seen = [&](const Range& u) { return part.seen(u); };
      const auto seeing = [&](const Range& of_keys) { return part.seeing(of_keys); };
      const Range queries = part.queries, all = part.seen(queries);
      const bool add = !writes || queries.first > 0;
      const Input weights = part.weights(a), d_out = part.of_queries(d_o, shape.value_width);
      const Output ds{ds_rows - queries.first * keys * kLanes, keys * kLanes, kLanes};
      // o = Σ_j a_j v_j:  da_j = do·v_j;  dv_j = Σ_i a_j do_i
      dot_products(queries, seen, shape.value_width, d_out, part.of_keys(v, shape.value_width), ds, tile);
      for (int u = queries.first; u < queries.last; ++u) {
        const size_t to_first_key = part.position(u) - part.residue + keys - 1;
        float* of_bias = dbias ? bias_lanes + to_first_key * kLanes : nullptr;
        if (shape.plain()) {
          softmax_backward(part, u, weights, ds, of_bias);
          continue;
        }
        const Output apart{apart_rows - queries.first * keys * kLanes, keys * kLanes, kLanes};
        if (shape.scores == ScoreForm::inverse)
          squared_distances(u, part.seen({u, u + 1}), shape.key_width, part.of_queries(q, shape.key_width),
                            part.of_keys(k, shape.key_width), apart);
        weights_backward(part, u, weights, ds, apart, {of_bias, dsink ? sink_lanes : nullptr, nullptr});
      }
      weighted_sums(all, seeing, shape.value_width, weights.transposed(), d_out, part.of_keys(dv, shape.value_width),
                    add, tile);
      if (shape.scale == 0) return;
      // s_j = scale · q·k_j:  dq = Σ_j scale ds_j k_j;  dk_j = Σ_i scale ds_j q_i
      const Input d_scores{ds.at, ds.row, ds.column};
      if (shape.scores != ScoreForm::dot) {
        pull_both(part, d_scores, part.of_queries(q, shape.key_width), part.of_keys(k, shape.key_width),
                  part.of_queries(dq, shape.key_width), part.of_keys(dk, shape.key_width), add);
        return;
      }
      weighted_sums(queries, seen, shape.key_width, d_scores, part.of_keys(k, shape.key_width),
                    part.of_queries(dq, shape.key_width), false, tile);
      weighted_sums(all, seeing, shape.key_width, d_scores.transposed(), part.of_queries(q, shape.key_width),
                    part.of_keys(dk, shape.key_width), add, tile);
    });
    for (size_t d = 0; dbias && d < distances; ++d)
      dbias[h * distances + d] += sum_lanes(load(bias_lanes + d * kLanes));
    if (dsink) dsink[h] += sum_lanes(load(sink_lanes));
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(HeadsForward);
HWY_EXPORT(HeadsBackward);

SeenKeys seen_keys(const AttentionMask& mask, int query, int keys) {
  const int behind = mask.window > 0 ? std::min(mask.window, query) : query;
  const int beyond = keys - 1 - query;
  const int ahead = mask.causal ? 0 : mask.window > 0 ? std::min(mask.window, beyond) : beyond;
  const int before = behind / mask.stride, after = ahead / mask.stride;
  return {query - before * mask.stride, before + (mask.own ? 1 : 0) + after, mask.stride};
}

void heads_forward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* bias, float* a,
                   float* o, int n, const float* sink, float* scores) {
  if (shape.shared && shape.queries() == 1) single_query_heads_forward(shape, q, k, v, bias, a, o, n, sink, scores);
  else HWY_DYNAMIC_DISPATCH(HeadsForward)(shape, q, k, v, bias, a, o, n, sink, scores);
}
void heads_backward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* a,
                    const float* d_o, float* dq, float* dk, float* dv, float* dbias, float* scratch, int n,
                    float* dsink, const float* dtotal) {
  if (shape.shared && shape.queries() == 1)
    single_query_heads_backward(shape, q, k, v, a, d_o, dq, dk, dv, dbias, scratch, n, dsink, dtotal);
  else HWY_DYNAMIC_DISPATCH(HeadsBackward)(shape, q, k, v, a, d_o, dq, dk, dv, dbias, scratch, n, dsink);
}
int heads_scratch_rows(const HeadsShape& shape) {
  const int queries = shape.queries() == 1 ? shape.heads : std::min(shape.queries(), kQueriesTogether);
  const int rows = queries * shape.keys;
  const int sums = shape.normalizer == Normalizer::sink || shape.scores == ScoreForm::inverse ? 1 : 0;
  return 2 * shape.keys - 1 + rows + sums + (shape.scores == ScoreForm::inverse ? rows : 0);
}

}  // namespace atto
#endif
