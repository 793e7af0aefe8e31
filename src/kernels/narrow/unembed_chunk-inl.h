// A few groups of samples on their way through the vocabulary: what both forms of the unembedding work on.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_NARROW_UNEMBED_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_NARROW_UNEMBED_CHUNK_INL_H_
#undef ATTO_KERNELS_NARROW_UNEMBED_CHUNK_INL_H_
#else
#define ATTO_KERNELS_NARROW_UNEMBED_CHUNK_INL_H_
#endif

#include "kernels/kernels.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// From its first lane on.
struct Chunk {
  const float* o;
  size_t n;  // from one row of o to the next
  const int32_t* targets;
  const float* weights;
  float* e;  // [V]: logits to base 2, then their powers, then the factors of the gradient
  size_t stride;
  // Of narrow networks only.
  const float* answers = nullptr;  // [D][n], the answers' u
  float* totals = nullptr;         // sums of the powers
  float* factors = nullptr;        // weight · scale / total
  float* d_o = nullptr;            // [D][n], where the gradient is wanted

  Chunk from(int lane) const {
    return {o + lane,       n,
            targets + lane, weights + lane,
            e + lane,       stride,
            answers + lane, totals + lane,
            factors + lane, d_o == nullptr ? nullptr : d_o + lane};
  }
  float* row(int v, int group) const { return e + v * stride + group * kLanes; }
  float* answer(int lane) const { return e + targets[lane] * stride + lane; }
};

// a - b in the lanes whose number is `wanted`, a in the others.
HWY_INLINE Group subtract_where(const Group& a, const Group& b, const int32_t* numbers, int32_t wanted) {
  Group r;
  ATTO_EACH_PART {
    const auto hit = hn::RebindMask(Floats(), hn::Eq(hn::LoadU(Ints(), numbers + k * kPart), hn::Set(Ints(), wanted)));
    r.part[k] = hn::IfThenElse(hit, hn::Sub(a.part[k], b.part[k]), a.part[k]);
  }
  return r;
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
