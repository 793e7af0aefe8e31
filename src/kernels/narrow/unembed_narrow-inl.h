// Linear logits, softmax and cross-entropy of narrow networks, where the features of o and of its gradient stay in
// registers while the vocabulary passes by.
//
// Softmax may be shifted by any number near the largest logit, and finding that would take a pass of its own. The
// answer's logit serves, x_v = (u_v - u_answer)·o and loss = ln Σ_v e^{x_v}: no bound is needed beforehand, as the sum
// tells afterwards whether an answer was so improbable that powers overflowed. Only then is the largest logit found.
//
// First pass: logits, powers, their sum, and do. Second pass: dU, which needs the sums. A chunk's second pass goes
// along with the first of the next, which takes its place row by row: one keeps memory busy, the other arithmetic.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_NARROW_UNEMBED_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_NARROW_UNEMBED_NARROW_INL_H_
#undef ATTO_KERNELS_NARROW_UNEMBED_NARROW_INL_H_
#else
#define ATTO_KERNELS_NARROW_UNEMBED_NARROW_INL_H_
#endif

#include "kernels/narrow/unembed_chunk-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Groups of a chunk: as many as registers last for.
inline constexpr int kNarrowGroups = HWY_CAP_GE512 ? 2 : 1;
// Σ_v 2^x is trusted between these: sums and the factors of the gradient then stay far from either end of the floats.
inline constexpr float kLeastTotal = 0x1p-60f, kMostTotal = 0x1p100f;

HWY_INLINE bool all_within(const Group& values, float least, float most) {
  bool all = true;
  ATTO_EACH_PART {
    const auto high_enough = hn::Ge(values.part[k], hn::Set(Floats(), least));
    const auto low_enough = hn::Le(values.part[k], hn::Set(Floats(), most));
    all = all && hn::AllTrue(Floats(), hn::And(high_enough, low_enough));  // not, where one is no number
  }
  return all;
}

// What the first pass knows of some groups before it starts.
template <int kWidth, int kGroups>
struct NarrowStart {
  Group o[kWidth][kGroups];       // times log2 e
  Group answer[kWidth][kGroups];  // u of the answer
  Group shift[kGroups];           // to base 2: the answer's logit

  explicit HWY_INLINE NarrowStart(const Chunk& chunk) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const int lane = g * kLanes;
      Group u[kWidth];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        o[f][g] = load(chunk.o + f * chunk.n + lane) * broadcast(kLog2E);
        u[f] = answer[f][g] = load(chunk.answers + f * chunk.n + lane);
      }
      shift[g] = logit(u, g);
    }
  }

  // u·o, from the features in order.
  HWY_INLINE Group logit(const Group* u, int g) const {
    Group sum = u[0] * o[0][g];
    ATTO_UNROLLED for (int f = 1; f < kWidth; ++f) sum = fma(u[f], o[f][g], sum);
    return sum;
  }
  // u·o - shift. The answer's logit is the first term of the sum; where the shift is the largest logit, x must not be
  // above 0 however large the logits are, so the same logit has to be subtracted.
  template <bool kByAnswer>
  HWY_INLINE Group shifted(const Group* u, int g) const {
    if constexpr (!kByAnswer) return logit(u, g) - shift[g];
    Group sum = zero() - shift[g];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) sum = fma(u[f], o[f][g], sum);
    return sum;
  }

  HWY_NOINLINE void shift_by_largest(const Unembedding& table) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = broadcast(-3.4e38f);
    for (int v = 0; v < table.vocab; ++v) {
      Group u[kWidth];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) u[f] = broadcast(table.u[v * kWidth + f]);
      ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = maximum(logit(u, g), shift[g]);
    }
  }
};

// What is wanted of a loss: the way back, and whether answers are right.
template <bool kWithGradient, bool kWithCorrect>
struct Wanted {
  static constexpr bool kGradient = kWithGradient, kCorrect = kWithCorrect;
};

// The second pass, token by token: dU_v += Σ (2^x_v - [v is the answer] total) · factor o. Few tokens are compared with
// the answer one by one (kCompare); of many, single entries of the chunk are corrected before.
template <int kWidth, int kGroups, bool kCompare>
struct NarrowWeights {
  const Chunk chunk;
  float* du_lanes;
  Group o[kWidth][kGroups];  // times factor

  HWY_INLINE NarrowWeights(const Chunk& finished, float* lane_sums) : chunk(finished), du_lanes(lane_sums) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) o[f][g] =
          load(chunk.o + f * chunk.n + g * kLanes) * load(chunk.factors + g * kLanes);
    }
    if constexpr (!kCompare)
      for (int lane = 0; lane < kGroups * kLanes; ++lane) *chunk.answer(lane) -= chunk.totals[lane];
  }

  HWY_INLINE void operator()(int v) const {
    float* lanes = du_lanes + static_cast<size_t>(v) * kWidth * kLanes;
    Group du[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) du[f] = load(lanes + f * kLanes);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      Group c = load(chunk.row(v, g));
      if constexpr (kCompare) c = subtract_where(c, load(chunk.totals + g * kLanes), chunk.targets + g * kLanes, v);
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) du[f] = fma(c, o[f][g], du[f]);
    }
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) store(du[f], lanes + f * kLanes);
  }
  HWY_INLINE void all(int vocab) const {
    for (int v = 0; v < vocab; ++v) (*this)(v);
  }
};
// No chunk is waiting for its second pass.
struct NoWeights {
  HWY_INLINE void operator()(int) const {}
};

// The first pass of a chunk, and for each token, just before, the `second` of the one whose memory it takes. Leaves 2^x
// in the chunk, Σ_v 2^x in chunk.totals and, if asked for, do. False, and nothing of the first done, where the answer's
// logit turns out to be no good shift.
template <class Want, bool kByAnswer, int kWidth, int kGroups, class Second>
HWY_INLINE bool narrow_forward(const Unembedding& table, const Chunk& chunk, const NarrowStart<kWidth, kGroups>& start,
                               float scale, Group& loss, Group& correct, const Second& second) {
  Group total[kGroups], highest[kGroups], dof[kWidth][kGroups];
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    total[g] = zero();
    highest[g] = broadcast(-3.4e38f);
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) dof[f][g] = zero();
  }
  const float* rows = table.u;
  const int vocab = table.vocab;
  for (int v = 0; v < vocab; ++v) {
    second(v);
    Group u[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) u[f] = broadcast(rows[v * kWidth + f]);
    Group x[kGroups], e[kGroups];
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      x[g] = start.template shifted<kByAnswer>(u, g);
      if constexpr (Want::kCorrect) highest[g] = maximum(x[g], highest[g]);
    }
    powers_of_two(x, e);
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      total[g] = total[g] + e[g];
      if constexpr (Want::kGradient) {
        store(e[g], chunk.row(v, g));
        ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) dof[f][g] = fma(e[g], u[f], dof[f][g]);
      }
    }
  }
  if constexpr (kByAnswer) {
    bool trusted = true;
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) trusted = trusted && all_within(total[g], kLeastTotal, kMostTotal);
    if (!trusted) return false;
  }
  ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
    const int lane = g * kLanes;
    const Group weight = load(chunk.weights + lane);
    Group answer[kWidth];
    ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) answer[f] = start.answer[f][g];
    // The same bits as in the loop: an answer that is the largest counts as right.
    const Group x = start.template shifted<kByAnswer>(answer, g);
    loss = fma(weight, fma(zero() - x, broadcast(kLn2), logarithm(total[g])), loss);
    if constexpr (Want::kCorrect) correct = fma(weight, at_least(x, highest[g]), correct);
    if constexpr (Want::kGradient) {
      // dlogit_v = weight · scale · (2^x_v / total - [v is the answer]);  do = Σ_v dlogit_v u_v
      const Group factor = weight * broadcast(scale) / total[g];
      store(total[g], chunk.totals + lane);
      store(factor, chunk.factors + lane);
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        const Group difference = dof[f][g] - total[g] * answer[f];
        store(difference * factor, chunk.d_o + f * chunk.n + lane);
      }
    }
  }
  return true;
}

// Groups whose answers' logits are no good shifts, one by one: which way a group goes is its own affair, whatever
// others go with it, so that every target decides alike.
template <class Want, int kWidth, int kGroups>
HWY_NOINLINE void narrow_one_by_one(const Unembedding& table, const Chunk& chunk, float scale, Group& loss,
                                    Group& correct) {
  for (int g = 0; g < kGroups; ++g) {
    const Chunk one = chunk.from(g * kLanes);
    NarrowStart<kWidth, 1> start(one);
    if (narrow_forward<Want, true>(table, one, start, scale, loss, correct, NoWeights())) continue;
    start.shift_by_largest(table);
    narrow_forward<Want, false>(table, one, start, scale, loss, correct, NoWeights());
  }
}

template <class Want, int kWidth, int kGroups, class Second>
HWY_INLINE void narrow_chunk(const Unembedding& table, const Chunk& chunk, float scale, Group& loss, Group& correct,
                             const Second& second) {
  const NarrowStart<kWidth, kGroups> start(chunk);
  if (!narrow_forward<Want, true>(table, chunk, start, scale, loss, correct, second))
    narrow_one_by_one<Want, kWidth, kGroups>(table, chunk, scale, loss, correct);
}

// The same of a call's first chunk, when none is waiting. Not inlined: it happens once a call, and one copy serves all.
template <class Want, int kWidth, int kGroups>
HWY_NOINLINE void narrow_alone(const Unembedding& table, const Chunk& chunk, float scale, Group& loss, Group& correct) {
  narrow_chunk<Want, kWidth, kGroups>(table, chunk, scale, loss, correct, NoWeights());
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
