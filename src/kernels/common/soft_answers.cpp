// Softmax and cross-entropy where the answer is a distribution over tokens and not one token.
//
//   loss = -Σ_v p_v ln softmax_v = ln Σ_v e^(logit_v - max) - Σ_v p_v (logit_v - max)
//   dlogit_v = softmax_v - p_v
//
// A run meets them only where it goes through all contexts of a chain, so one form serves every width.
#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/soft_answers.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// A group of samples: which distribution each wants, and its weight.
struct SoftGroup {
  const SoftAnswers& answers;
  const int32_t* targets;
  Group weight;

  Group probability(int v) const {
    const float* row = answers.p + static_cast<size_t>(v) * static_cast<size_t>(answers.rows);
    Group r;
    ATTO_EACH_PART r.part[k] = hn::GatherIndex(Floats(), row, hn::LoadU(Ints(), targets + k * kPart));
    return r;
  }
};

struct SoftSums {
  Group loss, correct;
};

// rows[V] of logits, `stride` apart, become scale · weight · (softmax - p). They may be read from elsewhere.
HWY_INLINE void soft_softmax(const SoftGroup& group, const float* logits, float* rows, size_t stride, int vocab,
                             float scale, SoftSums& sums) {
  Group highest = load(logits);
  for (int v = 1; v < vocab; ++v) highest = maximum(load(logits + v * stride), highest);
  Group total = zero(), wanted = zero(), correct = zero();
  for (int v = 0; v < vocab; ++v) {
    const Group below = load(logits + v * stride) - highest, p = group.probability(v);
    wanted = fma(p, below, wanted);
    correct = fma(p, at_least(below, zero()), correct);
    const Group e = power_of_two(below * broadcast(kLog2E));
    store(e, rows + v * stride);
    total = total + e;
  }
  sums.loss = fma(group.weight, logarithm(total) - wanted, sums.loss);
  sums.correct = fma(group.weight, correct, sums.correct);
  const Group factor = group.weight * broadcast(scale), share = factor / total;
  for (int v = 0; v < vocab; ++v) {
    float* at = rows + v * stride;
    store(load(at) * share - factor * group.probability(v), at);
  }
}

void SoftCrossEntropy(const float* logits, const SoftAnswers& answers, const int32_t* targets, const float* weights,
                      int vocab, float scale, float* dlogits, LossSums& total, int n) {
  SoftSums sums{zero(), zero()};
  for (int b = 0; b < n; b += kLanes)
    soft_softmax({answers, targets + b, load(weights + b)}, logits + b, dlogits + b, n, vocab, scale, sums);
  total.loss += sum_lanes(sums.loss);
  total.correct += sum_lanes(sums.correct);
}

// ‖o - u_v‖² + ε of a group
HWY_INLINE Group soft_distance(const Unembedding& table, const float* o, size_t n, int v) {
  Group square = broadcast(kCoincident);
  for (int f = 0; f < table.width; ++f) {
    const Group apart = load(o + f * n) - broadcast(table.u[static_cast<size_t>(v) * table.width + f]);
    square = fma(apart, apart, square);
  }
  return square;
}

HWY_INLINE void soft_logits(const Unembedding& table, const float* o, size_t n, float* rows) {
  for (int v = 0; v < table.vocab; ++v) {
    Group logit = zero();
    if (table.harmonic_power > 0) {
      logit = logarithm(soft_distance(table, o, n, v)) * broadcast(-0.5f * table.harmonic_power);
    } else {
      for (int f = 0; f < table.width; ++f)
        logit = fma(broadcast(table.u[static_cast<size_t>(v) * table.width + f]), load(o + f * n), logit);
    }
    store(logit, rows + v * kLanes);
  }
}

// Features first .. first + kFeatures - 1 of the gradient, from rows c_v of dlogit:
//   linear     dU_v += c_v o,            do = Σ_v c_v u_v
//   harmonic   dU_v += c_v (o - u_v),    do = -Σ_v c_v (o - u_v),   c_v times power / r²
template <int kFeatures>
HWY_INLINE void soft_features(const Unembedding& table, const float* o, size_t n, const float* rows, int first,
                              const LossGradient& gradient, float* d_o) {
  const bool harmonic = table.harmonic_power > 0;
  Group in[kFeatures], out[kFeatures];
  for (int f = 0; f < kFeatures; ++f) {
    in[f] = load(o + (first + f) * n);
    out[f] = zero();
  }
  for (int v = 0; v < table.vocab; ++v) {
    const Group c = load(rows + v * kLanes);
    for (int f = 0; f < kFeatures; ++f) {
      const size_t at = static_cast<size_t>(v) * table.width + first + f;
      const Group weight = broadcast(table.u[at]);
      const Group apart = harmonic ? in[f] - weight : in[f];
      store(fma(c, apart, load(gradient.du_lanes + at * kLanes)), gradient.du_lanes + at * kLanes);
      out[f] = fma(c, harmonic ? zero() - apart : weight, out[f]);
    }
  }
  for (int f = 0; f < kFeatures; ++f) store(out[f], d_o + (first + f) * n);
}

void SoftUnembedLoss(const Unembedding& table, const float* o, const SoftAnswers& answers, const int32_t* targets,
                     const float* weights, float* rows, LossSums& total, const LossGradient* gradient, int n) {
  SoftSums sums{zero(), zero()};
  for (int b = 0; b < n; b += kLanes) {
    soft_logits(table, o + b, n, rows);
    soft_softmax({answers, targets + b, load(weights + b)}, rows, rows, kLanes, table.vocab,
                 gradient ? gradient->scale : 0.0f, sums);
    if (!gradient) continue;
    if (table.harmonic_power > 0) {
      for (int v = 0; v < table.vocab; ++v) {
        const Group pull = broadcast(table.harmonic_power) / soft_distance(table, o + b, n, v);
        store(load(rows + v * kLanes) * pull, rows + v * kLanes);
      }
    }
    int f = 0;
    for (; f + 2 <= table.width; f += 2) soft_features<2>(table, o + b, n, rows, f, *gradient, gradient->d_o + b);
    if (f < table.width) soft_features<1>(table, o + b, n, rows, f, *gradient, gradient->d_o + b);
  }
  total.loss += sum_lanes(sums.loss);
  total.correct += sum_lanes(sums.correct);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(SoftCrossEntropy);
HWY_EXPORT(SoftUnembedLoss);

void soft_cross_entropy(const float* logits, const SoftAnswers& answers, const int32_t* targets, const float* weights,
                        int vocab, float scale, float* dlogits, LossSums& sums, int n) {
  HWY_DYNAMIC_DISPATCH(SoftCrossEntropy)(logits, answers, targets, weights, vocab, scale, dlogits, sums, n);
}

void soft_unembed_loss(const Unembedding& table, const float* o, const SoftAnswers& answers, const int32_t* targets,
                       const float* weights, float* rows, LossSums& sums, const LossGradient* gradient, int n) {
  HWY_DYNAMIC_DISPATCH(SoftUnembedLoss)(table, o, answers, targets, weights, rows, sums, gradient, n);
}

}  // namespace atto
#endif
