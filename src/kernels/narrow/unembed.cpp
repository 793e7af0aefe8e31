// Unembedding, softmax and cross-entropy, forward and backward in one go.
//
//   linear     logit_v = u_v·o
//   harmonic   logit_v = -(power/2) ln(‖o - u_v‖² + ε), so that softmax_v ∝ 1/distance^power
//
// A few groups of samples go through the whole vocabulary and back before the next few begin: their V rows of softmax
// then stay in the first-level cache however many answers a batch asks for. Linear logits have passes of their own, one
// form for narrow networks (unembed_narrow-inl.h) and one for all others (unembed_linear-inl.h); harmonic ones take three
// forward and one back.
#include <algorithm>

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/narrow/unembed.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/narrow/unembed_chunk-inl.h"
#include "kernels/narrow/unembed_linear-inl.h"
#include "kernels/narrow/unembed_narrow-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Groups that go through together, as far as registers last: each broadcast weight and each lane gradient then serves
// several groups. The order of every sum is the same for any number of them.
inline constexpr int kTogether = HWY_CAP_GE512 ? kLossLanes / kLanes : 1;

// Whose logits the passes below compute. kFixedWidth > 0 fixes D at compile time; 0 reads it from the table.
template <int kFixedWidth>
struct Harmonic {
  static constexpr int kWidth = kFixedWidth;
  static HWY_INLINE int width(const Unembedding& table) { return kFixedWidth > 0 ? kFixedWidth : table.width; }
};

// ‖o - u_v‖² + ε
HWY_INLINE Group squared_distance(const float* o, size_t n, const float* uv, int width) {
  Group square = broadcast(kCoincident);
  for (int f = 0; f < width; ++f) {
    const Group apart = load(o + f * n) - broadcast(uv[f]);
    square = fma(apart, apart, square);
  }
  return square;
}

// The logits to base 2 of `kTokens` tokens from v on, into the chunk, and their maximum.
template <class Form, int kGroups, int kTokens>
HWY_INLINE void logits(const Unembedding& table, const Chunk& chunk, int v, Group* highest) {
  const int width = Form::width(table);
  const float* u = table.u + static_cast<size_t>(v) * width;
  Group logit[kTokens][kGroups];
  for (int t = 0; t < kTokens; ++t)
    for (int g = 0; g < kGroups; ++g)
      logit[t][g] = squared_distance(chunk.o + g * kLanes, chunk.n, u + t * width, width);
  for (int t = 0; t < kTokens; ++t) {
    for (int g = 0; g < kGroups; ++g) {
      logit[t][g] = logarithm(logit[t][g]) * broadcast(-0.5f * kLog2E * table.harmonic_power);
      store(logit[t][g], chunk.row(v + t, g));
      highest[g] = maximum(logit[t][g], highest[g]);
    }
  }
}

// Leaves the e of each row in the chunk and returns their sums in `total`.
template <class Form, int kGroups>
HWY_INLINE void loss_forward(const Unembedding& table, const Chunk& chunk, Group* total, Group& loss, Group& correct) {
  Group highest[kGroups];
  for (int g = 0; g < kGroups; ++g) highest[g] = broadcast(-3.4e38f);
  // Two tokens at a time, for each load of o.
  int v = 0;
  for (; v + 2 <= table.vocab; v += 2) logits<Form, kGroups, 2>(table, chunk, v, highest);
  for (; v < table.vocab; ++v) logits<Form, kGroups, 1>(table, chunk, v, highest);
  HWY_ALIGN float answer[kGroups * kLanes];
  for (int lane = 0; lane < kGroups * kLanes; ++lane) answer[lane] = *chunk.answer(lane);
  // e^(logit - max) and its sum
  for (int g = 0; g < kGroups; ++g) total[g] = zero();
  for (v = 0; v < table.vocab; ++v) {
    for (int g = 0; g < kGroups; ++g) {
      const Group e = power_of_two(load(chunk.row(v, g)) - highest[g]);
      store(e, chunk.row(v, g));
      total[g] = total[g] + e;
    }
  }
  // -ln softmax_target = ln Σ e^(logit - max) - (logit_target - max)
  for (int g = 0; g < kGroups; ++g) {
    const Group weight = load(chunk.weights + g * kLanes), target = load(answer + g * kLanes);
    loss = fma(weight, fma(highest[g] - target, broadcast(kLn2), logarithm(total[g])), loss);
    correct = fma(weight, at_least(target, highest[g]), correct);
  }
}

// kFeatures features of the gradient, from `first`. With c_v the rows of the chunk, and per sample
//   dU_v += c_v (o - u_v),   do = -Σ_v c_v (o - u_v)
// All features at once find their own c_v, as r² is at hand: c_v = factor · row / r².
template <class Form, int kFeatures, int kGroups>
HWY_INLINE void gradient_features(const Unembedding& table, const Chunk& chunk, int first, const Group* factor,
                                  const LossGradient& gradient, float* d_o) {
  const int width = Form::width(table);
  Group o[kFeatures][kGroups], dof[kFeatures][kGroups];
  for (int f = 0; f < kFeatures; ++f) {
    for (int g = 0; g < kGroups; ++g) {
      o[f][g] = load(chunk.o + (first + f) * chunk.n + g * kLanes);
      dof[f][g] = zero();
    }
  }
  for (int v = 0; v < table.vocab; ++v) {
    const size_t at = static_cast<size_t>(v) * width + first;
    Group c[kGroups];
    for (int g = 0; g < kGroups; ++g) c[g] = load(chunk.row(v, g));
    if constexpr (Form::kWidth == kFeatures) {
      for (int g = 0; g < kGroups; ++g) {
        Group square = broadcast(kCoincident);
        for (int f = 0; f < kFeatures; ++f) {
          const Group apart = o[f][g] - broadcast(table.u[at + f]);
          square = fma(apart, apart, square);
        }
        c[g] = c[g] * factor[g] / square;
      }
    }
    for (int f = 0; f < kFeatures; ++f) {
      float* lanes = gradient.du_lanes + (at + f) * kLanes;
      const Group weight = broadcast(table.u[at + f]);
      Group du = load(lanes);
      for (int g = 0; g < kGroups; ++g) {
        const Group apart = o[f][g] - weight;
        du = fma(c[g], apart, du);
        dof[f][g] = fma(c[g], apart, dof[f][g]);
      }
      store(du, lanes);
    }
  }
  for (int f = 0; f < kFeatures; ++f)
    for (int g = 0; g < kGroups; ++g)
      store(zero() - dof[f][g], d_o + (first + f) * chunk.n + g * kLanes);
}

template <class Form, int kGroups>
HWY_INLINE void loss_backward(const Unembedding& table, const Chunk& chunk, const Group* total,
                              const LossGradient& gradient, float* d_o) {
  const int width = Form::width(table);
  // dlogit_v = weight · scale · (e_v / total - [v = target]) = factor · (e_v - [v = target] total)
  Group factor[kGroups];
  HWY_ALIGN float totals[kGroups * kLanes];
  for (int g = 0; g < kGroups; ++g) {
    store(total[g], totals + g * kLanes);
    factor[g] = load(chunk.weights + g * kLanes) * broadcast(gradient.scale) / total[g];
  }
  for (int lane = 0; lane < kGroups * kLanes; ++lane) *chunk.answer(lane) -= totals[lane];
  // logit_v = -(power/2) ln r²:  dlogit_v/do = -power (o - u_v) / r² = -dlogit_v/du_v;  c_v = power dlogit_v / r²
  for (int g = 0; g < kGroups; ++g) factor[g] = factor[g] * broadcast(table.harmonic_power);
  for (int v = 0; v < table.vocab && Form::kWidth == 0; ++v) {
    const float* uv = table.u + static_cast<size_t>(v) * width;
    for (int g = 0; g < kGroups; ++g) {
      const Group square = squared_distance(chunk.o + g * kLanes, chunk.n, uv, width);
      store(load(chunk.row(v, g)) * factor[g] / square, chunk.row(v, g));
    }
  }
  int f = 0;
  for (; f + 2 <= width; f += 2) gradient_features<Form, 2, kGroups>(table, chunk, f, factor, gradient, d_o);
  if (f < width) gradient_features<Form, 1, kGroups>(table, chunk, f, factor, gradient, d_o);
}

// Calls go<k>(first lane) for chunks of k groups that make up n lanes.
template <class Go>
HWY_INLINE void each_chunk(int n, const Go& go) {
  int b = 0;
  for (; b + kTogether * kLanes <= n; b += kTogether * kLanes) go.template operator()<kTogether>(b);
  if constexpr (kTogether > 2)
    for (; b + 2 * kLanes <= n; b += 2 * kLanes) go.template operator()<2>(b);
  for (; b < n; b += kLanes) go.template operator()<1>(b);
}

template <class Form>
void harmonic_loss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                  const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  Group loss = zero(), correct = zero();
  each_chunk(n, [&]<int kGroups>(int b) HWY_ATTR {
    const Chunk chunk{o + b, static_cast<size_t>(n), targets + b, weights + b, scratch.chunk, kGroups * kLanes};
    Group total[kGroups];
    loss_forward<Form, kGroups>(table, chunk, total, loss, correct);
    if (gradient) loss_backward<Form, kGroups>(table, chunk, total, *gradient, gradient->d_o + b);
  });
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

// The loss of a narrow network, chunk by chunk, all in the same place.
template <class Want, int kWidth, bool kCompare>
void narrow_passes(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                   const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  constexpr int kChunkLanes = kNarrowGroups * kLanes;
  using Weights = NarrowWeights<kWidth, kNarrowGroups, kCompare>;
  const float scale = gradient ? gradient->scale : 0.0f;
  float* du_lanes = gradient ? gradient->du_lanes : nullptr;
  HWY_ALIGN float totals[kChunkLanes], factors[kChunkLanes];
  const auto chunk_at = [&](int b, size_t stride) HWY_ATTR {
    return Chunk{o + b,  static_cast<size_t>(n), targets + b, weights + b, scratch.chunk,
                 stride, scratch.answers + b,    totals,      factors,     gradient ? gradient->d_o + b : nullptr};
  };
  Group loss = zero(), correct = zero();
  int b = 0;
  if constexpr (Want::kGradient) {
    if (n >= kChunkLanes) {
      Group first_loss = zero(), first_correct = zero();  // apart: what has an address does not stay in a register
      narrow_alone<Want, kWidth, kNarrowGroups>(table, chunk_at(0, kChunkLanes), scale, first_loss, first_correct);
      loss = first_loss;
      correct = first_correct;
      for (b = kChunkLanes; b + kChunkLanes <= n; b += kChunkLanes)
        narrow_chunk<Want, kWidth, kNarrowGroups>(table, chunk_at(b, kChunkLanes), scale, loss, correct,
                                                  Weights(chunk_at(b - kChunkLanes, kChunkLanes), du_lanes));
      Weights(chunk_at(b - kChunkLanes, kChunkLanes), du_lanes).all(table.vocab);
    }
  } else {
    for (; b + kChunkLanes <= n; b += kChunkLanes)
      narrow_chunk<Want, kWidth, kNarrowGroups>(table, chunk_at(b, kChunkLanes), scale, loss, correct, NoWeights());
  }
  if constexpr (kNarrowGroups > 1) {
    for (; b < n; b += kLanes) {
      const Chunk chunk = chunk_at(b, kLanes);
      narrow_chunk<Want, kWidth, 1>(table, chunk, scale, loss, correct, NoWeights());
      if constexpr (Want::kGradient) NarrowWeights<kWidth, 1, kCompare>(chunk, du_lanes).all(table.vocab);
    }
  }
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

template <int kWidth>
void narrow_loss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                 const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  const auto go = [&]<class Want>() HWY_ATTR {
    if constexpr (!Want::kGradient)  // nothing is compared
      narrow_passes<Want, kWidth, true>(table, o, targets, weights, scratch, sums, gradient, n);
    else if (table.vocab <= kComparedVocabulary)
      narrow_passes<Want, kWidth, true>(table, o, targets, weights, scratch, sums, gradient, n);
    else narrow_passes<Want, kWidth, false>(table, o, targets, weights, scratch, sums, gradient, n);
  };
  if (!gradient) go.template operator()<Wanted<false, true>>();
  else if (sums.counted) go.template operator()<Wanted<true, true>>();
  else go.template operator()<Wanted<true, false>>();
}

void UnembedLoss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                 const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  if (table.harmonic_power > 0) {
    if (table.width == 2)
      return harmonic_loss<Harmonic<2>>(table, o, targets, weights, scratch, sums, gradient, n);
    return harmonic_loss<Harmonic<0>>(table, o, targets, weights, scratch, sums, gradient, n);
  }
  switch (table.width) {
    case 1:
      return narrow_loss<1>(table, o, targets, weights, scratch, sums, gradient, n);
    case 2:
      return narrow_loss<2>(table, o, targets, weights, scratch, sums, gradient, n);
    case 3:
      return narrow_loss<3>(table, o, targets, weights, scratch, sums, gradient, n);
    case 4:
      return narrow_loss<4>(table, o, targets, weights, scratch, sums, gradient, n);
    default:
      return linear_loss(table, o, targets, weights, scratch, sums, gradient, n);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(UnembedLoss);

void unembed_loss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                  const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  if (table.width <= kNarrowWidth && table.harmonic_power == 0)
    embed_forward(table.u, table.vocab, table.width, targets, scratch.answers, 1, n);
  HWY_DYNAMIC_DISPATCH(UnembedLoss)(table, o, targets, weights, scratch, sums, gradient, n);
}

}  // namespace atto
#endif
