// Optimizer updates, element by element.
#include <algorithm>
#include <cstring>

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/optimize.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Where the numbers of some parameters stand; v and factors may be nullptr.
struct Elements {
  float* p;
  const float* g;
  float *m, *v;
  const float* factors;

  Elements from(size_t i) const {
    return {p + i, g + i, m + i, v == nullptr ? nullptr : v + i, factors == nullptr ? nullptr : factors + i};
  }
  // A number that holds for all parameters, times the factor of each.
  HWY_INLINE Group scaled(float number) const {
    return factors == nullptr ? broadcast(number) : broadcast(number) * load(factors);
  }
};

// p less the share that decays.
HWY_INLINE Group shrunk(const Elements& at, float shrink) {
  const Group p = load(at.p);
  return p - at.scaled(shrink) * p;
}

template <bool kDecays>
HWY_INLINE void adam_group(const AdamStep& step, const Elements& at) {
  const Group g = kDecays ? fma(broadcast(step.penalty), load(at.p), load(at.g)) : load(at.g);
  const Group mean = fma(broadcast(step.beta1), load(at.m), broadcast(1.0f - step.beta1) * g);
  const Group square = fma(broadcast(step.beta2), load(at.v), broadcast(1.0f - step.beta2) * g * g);
  const Group root = fma(square_root(square), broadcast(step.root_scale), broadcast(step.epsilon));
  store(mean, at.m);
  store(square, at.v);
  store((kDecays ? shrunk(at, step.shrink) : load(at.p)) - at.scaled(step.rate) * mean / root, at.p);
}

template <bool kDecays, bool kNesterov>
HWY_INLINE void sgd_group(const SgdStep& step, const Elements& at) {
  const Group g = kDecays ? fma(broadcast(step.penalty), load(at.p), load(at.g)) : load(at.g);
  const Group speed = fma(broadcast(step.momentum), load(at.m), g);
  store(speed, at.m);
  store(load(at.p) - at.scaled(step.rate) * (kNesterov ? fma(broadcast(step.momentum), speed, g) : speed), at.p);
}

// ±1, or x itself where it is 0.
HWY_INLINE Group sign(const Group& x) {
  Group r;
  ATTO_EACH_PART {
    const auto unit = hn::CopySign(hn::Set(Floats(), 1.0f), x.part[k]);
    r.part[k] = hn::IfThenElse(hn::Eq(x.part[k], hn::Zero(Floats())), x.part[k], unit);
  }
  return r;
}

template <bool kDecays>
HWY_INLINE void sign_group(const SignStep& step, const Elements& at) {
  const Group g = load(at.g), mean = load(at.m);
  const Group move = sign(fma(broadcast(step.beta1), mean, broadcast(1.0f - step.beta1) * g));
  store(fma(broadcast(step.beta2), mean, broadcast(1.0f - step.beta2) * g), at.m);
  store((kDecays ? shrunk(at, step.shrink) : load(at.p)) - at.scaled(step.rate) * move, at.p);
}

// The last few elements, fewer than a group, go through padded copies and so see the same arithmetic.
struct Tail {
  Tail(const float* from, size_t count) : size(count) {
    if (from != nullptr) std::memcpy(values, from, size * sizeof(float));
  }
  void write(float* to) const {
    if (to != nullptr) std::memcpy(to, values, size * sizeof(float));
  }

  size_t size;
  HWY_ALIGN float values[kLanes] = {};
};

template <class Update>
HWY_INLINE void each_group(const Elements& all, size_t count, const Update& update) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) update(all.from(i));
  if (i == count) return;
  const Elements at = all.from(i);
  const size_t left = count - i;
  Tail p(at.p, left), m(at.m, left), v(at.v, left);
  const Tail g(at.g, left), factors(at.factors, left);
  update(Elements{p.values, g.values, m.values, v.values, at.factors == nullptr ? nullptr : factors.values});
  p.write(at.p);
  m.write(at.m);
  v.write(at.v);
}

void AdamUpdate(const AdamStep& step, float* p, const float* g, float* m, float* v, size_t count,
                const float* factors) {
  const Elements all{p, g, m, v, factors};
  if (step.penalty == 0 && step.shrink == 0)
    each_group(all, count, [&](const Elements& at) HWY_ATTR { adam_group<false>(step, at); });
  else each_group(all, count, [&](const Elements& at) HWY_ATTR { adam_group<true>(step, at); });
}

template <bool kDecays>
void sgd_groups(const SgdStep& step, const Elements& all, size_t count) {
  if (step.nesterov) each_group(all, count, [&](const Elements& at) HWY_ATTR { sgd_group<kDecays, true>(step, at); });
  else each_group(all, count, [&](const Elements& at) HWY_ATTR { sgd_group<kDecays, false>(step, at); });
}
void SgdUpdate(const SgdStep& step, float* p, const float* g, float* velocity, size_t count, const float* factors) {
  const Elements all{p, g, velocity, nullptr, factors};
  if (step.penalty == 0) sgd_groups<false>(step, all, count);
  else sgd_groups<true>(step, all, count);
}

void SignUpdate(const SignStep& step, float* p, const float* g, float* m, size_t count, const float* factors) {
  const Elements all{p, g, m, nullptr, factors};
  if (step.shrink == 0) each_group(all, count, [&](const Elements& at) HWY_ATTR { sign_group<false>(step, at); });
  else each_group(all, count, [&](const Elements& at) HWY_ATTR { sign_group<true>(step, at); });
}

// Lanes are summed in float over 64 groups at a time, those sums in double.
double SumOfSquares(const float* x, size_t count) {
  constexpr size_t kPiece = 64 * kLanes;
  double total = 0;
  for (size_t first = 0; first < count; first += kPiece) {
    const size_t end = std::min(count, first + kPiece);
    Group sum = zero();
    size_t i = first;
    for (; i + kLanes <= end; i += kLanes) sum = fma(load(x + i), load(x + i), sum);
    if (i < end) {
      const Tail rest(x + i, end - i);
      sum = fma(load(rest.values), load(rest.values), sum);
    }
    total += static_cast<double>(sum_lanes(sum));
  }
  return total;
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(AdamUpdate);
HWY_EXPORT(SgdUpdate);
HWY_EXPORT(SignUpdate);
HWY_EXPORT(SumOfSquares);

void adam_update(const AdamStep& step, float* parameters, const float* gradients, float* m, float* v, size_t count,
                 const float* factors) {
  HWY_DYNAMIC_DISPATCH(AdamUpdate)(step, parameters, gradients, m, v, count, factors);
}
void sgd_update(const SgdStep& step, float* parameters, const float* gradients, float* velocity, size_t count,
                const float* factors) {
  HWY_DYNAMIC_DISPATCH(SgdUpdate)(step, parameters, gradients, velocity, count, factors);
}
void sign_update(const SignStep& step, float* parameters, const float* gradients, float* m, size_t count,
                 const float* factors) {
  HWY_DYNAMIC_DISPATCH(SignUpdate)(step, parameters, gradients, m, count, factors);
}
double sum_of_squares(const float* x, size_t count) { return HWY_DYNAMIC_DISPATCH(SumOfSquares)(x, count); }

}  // namespace atto
#endif
