// Linear logits, softmax and cross-entropy of narrow networks, where the features of o and of its gradient stay in
// registers while the vocabulary passes by.
//
// Softmax may be shifted by any number near the largest logit, and finding that would take a pass of its own. The
// answer's logit serves, x_v = (u_v - u_answer)·o and loss = ln Σ_v e^{x_v}, unless the answer is so improbable that a
// power might overflow: no logit exceeds max ‖u‖ ‖o‖, and the shift is never further below that than a power may rise.
// Where that bound itself is so far off that the powers vanish, the largest logit is found after all.
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

#include <algorithm>
#include <cmath>

#include "numeric/simd-inl.h"
#include "numeric/unembed_chunk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Groups of the first pass: as many as registers last for.
inline constexpr int kNarrowGroups = HWY_CAP_GE512 ? 2 : 1;
// x may be so large, to base 2, and Σ_v 2^x so small: sums and the factors of the gradient then stay far from either
// end of the floats, and powers that vanish would add nothing. And logits may be so large: rounding then leaves that
// bound as it is.
inline constexpr float kMostShifted = 90.0f, kLeastTotal = 0x1p-60f, kMostLogit = 1e6f;

// v + v with each lane and its neighbour (kDistance 1), or the next but one (2), swapped
template <int kDistance, class V>
HWY_INLINE V add_swapped(V v) {
  return hn::Add(v, kDistance == 1 ? hn::Shuffle2301(v) : hn::Shuffle1032(v));
}

// max ‖u_v‖; what is not a number is passed over.
template <int kWidth>
HWY_INLINE float largest_norm(const Unembedding& table) {
  constexpr bool kWholeRows = kPart % kWidth == 0;  // of a register
  const int count = table.vocab * kWidth;
  float largest = 0;
  int i = 0;
  if constexpr (kWholeRows) {
    Group squares = zero();
    for (; i + kGroup <= count; i += kGroup) {
      const Group u = load(table.u + i);
      Group square = u * u;
      if constexpr (kWidth >= 2) ATTO_EACH_PART square.part[k] = add_swapped<1>(square.part[k]);
      if constexpr (kWidth == 4) ATTO_EACH_PART square.part[k] = add_swapped<2>(square.part[k]);
      squares = maximum(square, squares);
    }
    auto most = squares.part[0];
    for (int k = 1; k < kParts; ++k) most = hn::Max(squares.part[k], most);
    largest = hn::GetLane(hn::MaxOfLanes(Floats(), most));
  }
  for (; i < count; i += kWidth) {
    float square = 0;
    for (int f = 0; f < kWidth; ++f) square += table.u[i + f] * table.u[i + f];
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

HWY_INLINE bool all_at_most(const Group& values, float limit) {
  bool all = true;
  ATTO_EACH_PART all = all && hn::AllTrue(Floats(), hn::Le(values.part[k], hn::Set(Floats(), limit)));
  return all;
}
HWY_INLINE bool all_at_least(const Group& values, float limit) {
  bool all = true;
  ATTO_EACH_PART all = all && hn::AllTrue(Floats(), hn::Ge(values.part[k], hn::Set(Floats(), limit)));
  return all;
}

// At least √(a² + b²) for a, b ≥ 0, and at most 1.083 times that: the octagon around a circle, which takes no root.
HWY_INLINE Group hypotenuse_bound(const Group& a, const Group& b) {
  return fma(minimum(a, b), broadcast(0.41421357f), maximum(a, b));
}

// What the first pass knows of some groups before it starts.
template <int kWidth, int kGroups>
struct NarrowStart {
  Group o[kWidth][kGroups];       // times log2 e
  Group answer[kWidth][kGroups];  // u of the answer
  Group shift[kGroups];           // to base 2
  bool safe = true;               // no x of any group can be too large

  // `largest`: max ‖u‖
  HWY_INLINE NarrowStart(const Chunk& chunk, int first, float largest) {
    bool near = true;
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      const int lane = (first + g) * kGroup;
      Group u[kWidth], norm = zero();  // at least ‖o‖
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
        o[f][g] = load(chunk.o + f * chunk.n + lane) * broadcast(kLog2E);
        u[f] = answer[f][g] = load(chunk.answers + f * chunk.n + lane);
        const Group size = maximum(o[f][g], zero() - o[f][g]);
        norm = f == 0 ? size : hypotenuse_bound(size, norm);
      }
      shift[g] = logit(u, g);
      const Group most = norm * broadcast(largest);
      safe = safe && all_at_most(most, kMostLogit);  // not, where it is no number
      near = near && all_at_most(most - shift[g], kMostShifted);
    }
    if (!near) raise(largest);
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

  // Lifts shifts that are too far below the bound. Lanes that are near stay as they are: rounding is less than 1.
  HWY_NOINLINE void raise(float largest) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) {
      Group square = zero();
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) square = fma(o[f][g], o[f][g], square);
      const Group most = square_root(square) * broadcast(largest);
      shift[g] = maximum(most - broadcast(kMostShifted + 1), shift[g]);
    }
  }
  void shift_by_largest(const Unembedding& table) {
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = broadcast(-3.4e38f);
    for (int v = 0; v < table.vocab; ++v) {
      Group u[kWidth];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) u[f] = broadcast(table.u[v * kWidth + f]);
      ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) shift[g] = maximum(logit(u, g), shift[g]);
    }
  }
};

// The first pass of groups `first` and on. Leaves 2^x in the chunk, Σ_v 2^x in chunk.totals and, if asked for, do.
// False, and nothing done, where the powers vanish; not if the shift is the largest logit.
template <bool kGradient, bool kSafe, int kWidth, int kGroups>
HWY_INLINE bool narrow_forward(const Unembedding& table, const Chunk& chunk, int first,
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
  if constexpr (kSafe) {
    bool enough = true;
    ATTO_UNROLLED for (int g = 0; g < kGroups; ++g) enough = enough && all_at_least(total[g], kLeastTotal);
    if (!enough) return false;
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
  return true;
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
