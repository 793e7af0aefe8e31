// Linear logits, softmax and cross-entropy of narrow networks, where the features of o and of its gradient stay in
// registers while the vocabulary passes by.
//
// Softmax may be shifted by any number. Shifting by the answer's own logit, x_v = (u_v - u_answer)·o, takes no pass to
// find the largest, and gives loss = ln Σ_v e^{x_v}. It only fails where the answer is so improbable that a power
// overflows; a bound on x tells beforehand, and those groups are shifted by their largest logit after all.
//
// First pass, for two groups at a time: logits, powers, their sum, and do. Second pass, for all groups of a chunk: dU,
// which needs the sums.
//
// Included like simd-inl.h.
#if defined(ATTO_NUMERIC_UNEMBED_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_NUMERIC_UNEMBED_NARROW_INL_H_
#undef ATTO_NUMERIC_UNEMBED_NARROW_INL_H_
#else
#define ATTO_NUMERIC_UNEMBED_NARROW_INL_H_
#endif

#include "numeric/simd-inl.h"
#include "numeric/unembed_chunk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Groups of the first pass: as many as registers last for.
inline constexpr int kNarrowGroups = HWY_CAP_GE512 ? 2 : 1;
// Shifted by the answer's logit, x may be so large, to base 2: Σ_v 2^x and the factors of the gradient then stay far
// from either end of the floats. And logits may be so large: rounding then leaves that bound as it is.
inline constexpr float kMostShifted = 90.0f, kMostLogit = 1e7f;

// max |u|
HWY_INLINE float largest_entry(const Unembedding& table) {
  const int count = table.vocab * table.width;
  Group largest = zero();
  int i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    const Group u = load(table.u + i);
    largest = maximum(maximum(u, zero() - u), largest);
  }
  HWY_ALIGN float lanes[kGroup];
  store(largest, lanes);
  float result = 0;
  const auto see = [&result](float value) { result = value > result || value != value ? value : result; };
  for (const float lane : lanes) see(lane);
  for (; i < count; ++i) see(table.u[i] < 0 ? -table.u[i] : table.u[i]);
  return result;
}

// What the first pass knows of some groups before it starts.
template <int kWidth, int kGroups>
struct NarrowStart {
  Group o[kWidth][kGroups];       // times log2 e
  Group answer[kWidth][kGroups];  // u of the answer
  Group shift[kGroups];           // the answer's logit, to base 2
  bool safe = true;               // no x of any group can be too large

  HWY_INLINE NarrowStart(const Chunk& chunk, int first, float largest) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const int lane = (first + g) * kGroup;
      Group u[kWidth], size = zero();
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        o[f][g] = load(chunk.o + f * chunk.n + lane) * broadcast(kLog2E);
        u[f] = answer[f][g] = load(chunk.answers + f * chunk.n + lane);
        size = size + maximum(o[f][g], zero() - o[f][g]);
      }
      shift[g] = logit(u, g);
      // No logit exceeds `most`, and so no x most - shift; where those are not numbers, nothing is safe.
      const Group most = size * broadcast(largest);
      safe = safe && all_at_most(most, kMostLogit) && all_at_most(most - shift[g], kMostShifted);
    }
  }

  // u·o, from the features in order.
  HWY_INLINE Group logit(const Group* u, int g) const {
    Group sum = u[0] * o[0][g];
    ATTO_UNROLLED for (int f = 1; f < kWidth; ++f) sum = fma(u[f], o[f][g], sum);
    return sum;
  }
  // u·o - shift. Where that is safe the shift is the first term of the sum; where the shift is the largest logit, x
  // must not be above 0 however large the logits are, so the same logit has to be subtracted.
  template <bool kSafe>
  HWY_INLINE Group shifted(const Group* u, int g) const {
    if constexpr (!kSafe) return logit(u, g) - shift[g];
    Group sum = zero() - shift[g];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) sum = fma(u[f], o[f][g], sum);
    return sum;
  }

  void shift_by_largest(const Unembedding& table) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = broadcast(-3.4e38f);
    for (int v = 0; v < table.vocab; ++v) {
      Group u[kWidth];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) u[f] = broadcast(table.u[v * kWidth + f]);
      ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = maximum(logit(u, g), shift[g]);
    }
  }

 private:
  static HWY_INLINE bool all_at_most(const Group& values, float limit) {
    bool all = true;
    ATTO_EACH_PART all = all && hn::AllTrue(Floats(), hn::Le(values.part[k], hn::Set(Floats(), limit)));
    return all;
  }
};

// The first pass of groups `first` and on. Leaves 2^x in the chunk, Σ_v 2^x in chunk.totals and, if asked for, do.
template <bool kGradient, bool kSafe, int kWidth, int kGroups>
HWY_INLINE void narrow_forward(const Unembedding& table, const Chunk& chunk, int first,
                               const NarrowStart<kWidth, kGroups>& start, const LossGradient* gradient, float* d_o,
                               Group& loss, Group& correct) {
  Group total[kGroups], highest[kGroups], dof[kWidth][kGroups];
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    total[g] = zero();
    highest[g] = broadcast(-3.4e38f);
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) dof[f][g] = zero();
  }
  for (int v = 0; v < table.vocab; ++v) {
    Group u[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) u[f] = broadcast(table.u[v * kWidth + f]);
    Group x[kGroups], e[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      x[g] = start.template shifted<kSafe>(u, g);
      highest[g] = maximum(x[g], highest[g]);
    }
    powers_of_two(x, e);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      total[g] = total[g] + e[g];
      if constexpr (kGradient) {
        store(e[g], chunk.row(v, first + g));
        ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) dof[f][g] = fma(e[g], u[f], dof[f][g]);
      }
    }
  }
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    const int lane = (first + g) * kGroup;
    const Group weight = load(chunk.weights + lane);
    Group answer[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) answer[f] = start.answer[f][g];
    // The same bits as in the loop: an answer that is the largest counts as right.
    const Group x = start.template shifted<kSafe>(answer, g);
    loss = fma(weight, fma(zero() - x, broadcast(kLn2), logarithm(total[g])), loss);
    correct = fma(weight, at_least(x, highest[g]), correct);
    if constexpr (kGradient) {
      // dlogit_v = weight · scale · (2^x_v / total - [v is the answer]);  do = Σ_v dlogit_v u_v
      const Group factor = weight * broadcast(gradient->scale) / total[g];
      store(total[g], chunk.totals + lane);
      store(factor, chunk.factors + lane);
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        const Group difference = dof[f][g] - total[g] * answer[f];
        store(difference * factor, d_o + f * chunk.n + lane);
      }
    }
  }
}

// The second pass: dU_v += Σ (2^x_v - [v is the answer] total) · factor o, for kGroups groups at once.
template <int kWidth, int kGroups, bool kCompare>
HWY_INLINE void narrow_weights(const Unembedding& table, const Chunk& chunk, float* du_lanes) {
  Group o[kWidth][kGroups];
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) o[f][g] =
        load(chunk.o + f * chunk.n + g * kGroup) * load(chunk.factors + g * kGroup);
  }
  if constexpr (!kCompare)
    for (int lane = 0; lane < kGroups * kGroup; ++lane) *chunk.answer(lane) -= chunk.totals[lane];
  for (int v = 0; v < table.vocab; ++v) {
    float* lanes = du_lanes + static_cast<size_t>(v) * kWidth * kGroup;
    Group du[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) du[f] = load(lanes + f * kGroup);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      Group c = load(chunk.row(v, g));
      if constexpr (kCompare) c = subtract_where(c, load(chunk.totals + g * kGroup), chunk.targets + g * kGroup, v);
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) du[f] = fma(c, o[f][g], du[f]);
    }
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) store(du[f], lanes + f * kGroup);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
