// Linear logits, softmax and cross-entropy of networks beyond the narrow ones, in products whose results stay in
// registers: tokens × groups of samples for the logits, features × groups for do, tokens × features for dU.
//
// A chunk of samples takes four passes over the vocabulary: logits and the largest of them; powers and their sum; do;
// dU. Its V rows stay in the first-level cache; the lane sums of dU, sixteen times the table, come from the second
// once a chunk, so a chunk is as large as its rows allow.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_NARROW_UNEMBED_LINEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_NARROW_UNEMBED_LINEAR_INL_H_
#undef ATTO_KERNELS_NARROW_UNEMBED_LINEAR_INL_H_
#else
#define ATTO_KERNELS_NARROW_UNEMBED_LINEAR_INL_H_
#endif

#include <algorithm>

#include "kernels/common/products-inl.h"
#include "kernels/narrow/unembed_chunk-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// The logits to base 2 of kTokens tokens from v on, into the chunk, and their maximum.
template <int kTokens, int kGroups>
HWY_INLINE void linear_logits(const Unembedding& table, const Chunk& chunk, int v, Group (&highest)[kGroups]) {
  const size_t width = table.width;
  Group logit[kTokens][kGroups];
  ATTO_UNROLLED for (int t = 0; t < kTokens; ++t) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) logit[t][g] = zero();
  }
  add_weighted({table.u, width, 1, table.width, chunk.o, chunk.n}, v, 0, logit);
  ATTO_UNROLLED for (int t = 0; t < kTokens; ++t) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const Group x = logit[t][g] * broadcast(kLog2E);
      store(x, chunk.row(v + t, g));
      highest[g] = maximum(x, highest[g]);
    }
  }
}

// Leaves the powers in the chunk, their sums in chunk.totals and weight · scale / sum in chunk.factors.
template <int kGroups>
HWY_NOINLINE void linear_softmax(const Unembedding& table, const Chunk& chunk, float scale, Group& loss,
                                 Group& correct) {
  constexpr int kTokens = 4;
  Group highest[kGroups], total[kGroups];
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    highest[g] = broadcast(-3.4e38f);
    total[g] = zero();
  }
  int v = 0;
  for (; v + kTokens <= table.vocab; v += kTokens) linear_logits<kTokens>(table, chunk, v, highest);
  for (; v < table.vocab; ++v) linear_logits<1>(table, chunk, v, highest);
  HWY_ALIGN float answer[kGroups * kLanes];
  for (int lane = 0; lane < kGroups * kLanes; ++lane) answer[lane] = *chunk.answer(lane);
  // e^(logit - max) and its sum
  for (v = 0; v < table.vocab; ++v) {
    Group below[kGroups], e[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) below[g] = load(chunk.row(v, g)) - highest[g];
    powers_of_two(below, e);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      store(e[g], chunk.row(v, g));
      total[g] = total[g] + e[g];
    }
  }
  // -ln softmax_target = ln Σ e^(logit - max) - (logit_target - max)
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    const Group weight = load(chunk.weights + g * kLanes), target = load(answer + g * kLanes);
    store(total[g], chunk.totals + g * kLanes);
    store(weight * broadcast(scale) / total[g], chunk.factors + g * kLanes);
    loss = fma(weight, fma(highest[g] - target, broadcast(kLn2), logarithm(total[g])), loss);
    correct = fma(weight, at_least(target, highest[g]), correct);
  }
}

// dlogit_v = weight · scale · (e_v / total - [v = target]) = factor · c_v, c_v = e_v - [v = target] total:
// do = factor Σ_v c_v u_v,  dU_v += c_v · factor o
//
// Both at once where registers last for it: the sums of do then fill the time in which those of dU come and go between
// the two caches.
template <int kFeatures, int kGroups>
HWY_NOINLINE void linear_gradient_block(const Unembedding& table, const Chunk& chunk, int first, float* du_lanes) {
  Group o[kFeatures][kGroups], dof[kFeatures][kGroups];
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      o[f][g] = load(chunk.o + (first + f) * chunk.n + g * kLanes) * load(chunk.factors + g * kLanes);
      dof[f][g] = zero();
    }
  }
  const size_t width = table.width;
  const float *u = table.u + first, *row = chunk.e;
  float* lanes = du_lanes + first * kLanes;
  for (int v = 0; v < table.vocab; ++v, u += width, lanes += width * kLanes, row += chunk.stride) {
    Group c[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) c[g] = load(row + g * kLanes);
    ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) {
      const Group weight = broadcast(u[f]);
      Group du = load(lanes + f * kLanes);
      ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
        du = fma(c[g], o[f][g], du);
        dof[f][g] = fma(c[g], weight, dof[f][g]);
      }
      store(du, lanes + f * kLanes);
    }
  }
  ATTO_UNROLLED for (int f = 0; f < kFeatures; ++f) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      store(dof[f][g] * load(chunk.factors + g * kLanes), chunk.d_o + (first + f) * chunk.n + g * kLanes);
    }
  }
}

// One after the other: `scaled` has room for the features times their factors.
HWY_INLINE void linear_gradient_apart(const Unembedding& table, const Chunk& chunk, int lanes, float* du_lanes,
                                      float* scaled) {
  const size_t width = table.width, stride = lanes;
  weighted_sums({table.u, 1, width, table.vocab, chunk.e, chunk.stride}, table.width, chunk.d_o, chunk.n, lanes, false);
  for (int b = 0; b < lanes; b += kLanes) {
    const Group factor = load(chunk.factors + b);
    for (size_t f = 0; f < width; ++f) {
      float* d_o = chunk.d_o + f * chunk.n + b;
      store(load(d_o) * factor, d_o);
      store(load(chunk.o + f * chunk.n + b) * factor, scaled + f * stride + b);
    }
  }
  lane_products(du_lanes, table.vocab, table.width, chunk.e, chunk.stride, scaled, stride, lanes);
}

HWY_INLINE void linear_gradient(const Unembedding& table, const Chunk& chunk, int lanes, float* du_lanes,
                                [[maybe_unused]] float* scaled) {
  for (int lane = 0; lane < lanes; ++lane) *chunk.answer(lane) -= chunk.totals[lane];
#if HWY_CAP_GE512
  each_even_block<kMostGroups>(lanes / kLanes, [&]<int kGroups>(int) HWY_ATTR {
    each_even_block<2>(table.width, [&]<int kFeatures>(int first) HWY_ATTR {
      linear_gradient_block<kFeatures, kGroups>(table, chunk, first, du_lanes);
    });
  });
#else
  linear_gradient_apart(table, chunk, lanes, du_lanes, scaled);
#endif
}

void linear_loss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                 const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n) {
  Group loss = zero(), correct = zero();
  HWY_ALIGN float totals[kLossLanes], factors[kLossLanes];
  const float scale = gradient ? gradient->scale : 0.0f;
  for (int b = 0; b < n; b += kLossLanes) {
    const int lanes = std::min(kLossLanes, n - b);
    const Chunk chunk{o + b,
                      static_cast<size_t>(n),
                      targets + b,
                      weights + b,
                      scratch.chunk,
                      static_cast<size_t>(lanes),
                      scratch.answers,
                      totals,
                      factors,
                      gradient ? gradient->d_o + b : nullptr};
    each_even_block<kMostGroups>(lanes / kLanes, [&]<int kGroups>(int group) HWY_ATTR {
      linear_softmax<kGroups>(table, chunk.from(group * kLanes), scale, loss, correct);
    });
    if (gradient) linear_gradient(table, chunk, lanes, gradient->du_lanes, scratch.answers);
  }
  sums.loss += sum_lanes(loss);
  sums.correct += sum_lanes(correct);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
