// Table lookups (the embedding) and their gradient.
//
// A table row holds the D features of one token side by side, an activation row one feature of many samples. Forward, a
// small table is turned over and a column of it held in registers (columns-inl.h); of a large one blocks of 4 features
// × 4 samples are turned over. Backward, blocks of features of a whole register of samples are, so that the rows of the
// table are updated in runs of four.
#include <algorithm>

#include "kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/lookup.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/common/register_lookup-inl.h"
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

using Two = hn::FixedTag<float, 2>;
using Four = hn::FixedTag<float, 4>;

// --- forward ---

// The feature at `table`, and the one after it if kTwo: they share what is done with the indices.
template <class Column, bool kTwo>
HWY_INLINE void embed_features(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions,
                               size_t n) {
  const Column first(table, vocab, width), second(table + (kTwo ? 1 : 0), vocab, width);
  for (int p = 0; p < positions; ++p) {
    const int32_t* at = ids + p * n;
    float* row = out + static_cast<size_t>(p) * width * n;
    for (size_t b = 0; b < n; b += kLanes) {
      const Indices index = load_indices(at + b);
      store(first(index), row + b);
      if constexpr (kTwo) store(second(index), row + n + b);
    }
  }
}
template <class Column>
void embed_columns(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions, size_t n) {
  int f = 0;
  for (; f + 2 <= width; f += 2) embed_features<Column, true>(table + f, vocab, width, ids, out + f * n, positions, n);
  if (f < width) embed_features<Column, false>(table + f, vocab, width, ids, out + f * n, positions, n);
}

struct Block {
  hn::Vec<Four> row[4];
};

HWY_INLINE Block transpose(const Block& b) {
  const Four d;
  const auto low01 = hn::InterleaveLower(d, b.row[0], b.row[1]), high01 = hn::InterleaveUpper(d, b.row[0], b.row[1]);
  const auto low23 = hn::InterleaveLower(d, b.row[2], b.row[3]), high23 = hn::InterleaveUpper(d, b.row[2], b.row[3]);
  return {{hn::ConcatLowerLower(d, low23, low01), hn::ConcatUpperUpper(d, low23, low01),
           hn::ConcatLowerLower(d, high23, high01), hn::ConcatUpperUpper(d, high23, high01)}};
}

void embed_rows(const float* table, int width, const int32_t* ids, float* out, size_t n) {
  const int blocked = width / 4 * 4;
  for (size_t b = 0; b < n && blocked > 0; b += 4) {
    for (int f = 0; f < blocked; f += 4) {
      Block block;
      for (int s = 0; s < 4; ++s) block.row[s] = hn::LoadU(Four(), table + static_cast<size_t>(ids[b + s]) * width + f);
      block = transpose(block);
      for (int r = 0; r < 4; ++r) hn::StoreU(block.row[r], Four(), out + (f + r) * n + b);
    }
  }
  for (int f = blocked; f < width; ++f) {
    const GatheredColumn column(table + f, 0, width);
    for (size_t b = 0; b < n; b += kLanes) store(column(load_indices(ids + b)), out + f * n + b);
  }
}

void EmbedForward(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions, int n) {
  const size_t stride = n;
  if (vocab <= kMostPermuted) {
    return with_columns(vocab, [&]<class Column>() HWY_ATTR {
      embed_columns<Column>(table, vocab, width, ids, out, positions, stride);
    });
  }
  for (int p = 0; p < positions; ++p) embed_rows(table, width, ids + p * stride, out + p * width * stride, stride);
}

// --- backward ---

// Four (or two) features of a register of samples, turned over. Interleaving works within runs of four lanes: what
// sample s + j adds to its row, s a multiple of four, starts at to[j · kPart + s] (or at to[j/2 · kPart + s + j%2 ·
// 2]).
HWY_INLINE void turn_over_four(const float* dout, size_t n, float* to) {
  const Floats d;
  const hn::Repartition<double, Floats> pairs;
  const auto row = [&](int r) HWY_ATTR { return hn::LoadU(d, dout + r * n); };
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row(0), row(1)));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(0), row(1)));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row(2), row(3)));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(2), row(3)));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + kPart);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * kPart);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * kPart);
}

HWY_INLINE void turn_over_two(const float* dout, size_t n, float* to) {
  const Floats d;
  const auto row0 = hn::LoadU(d, dout), row1 = hn::LoadU(d, dout + n);
  hn::StoreU(hn::InterleaveLower(d, row0, row1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, row0, row1), d, to + kPart);
}
template <class Run>
HWY_INLINE void add_run(Run run, const float* from, float* to) {
  hn::StoreU(hn::Add(hn::LoadU(run, to), hn::LoadU(run, from)), run, to);
}

// Samples may share a token, so the rows of the table are updated one sample after the other. kWidth > 0 fixes D.
template <int kWidth>
HWY_INLINE void embed_backward_width(float* dtable, int width, const int32_t* ids, const float* dout, size_t n) {
  const int features = kWidth > 0 ? kWidth : width;
  const int fours = features / 4 * 4, pairs = features / 2 * 2;
  HWY_ALIGN float turned[4 * kPart];
  for (size_t b = 0; b < n; b += kPart) {
    const float* from = dout + b;
    const auto row = [&](int s) HWY_ATTR { return dtable + static_cast<size_t>(ids[b + s]) * features; };
    for (int f = 0; f < fours; f += 4) {
      turn_over_four(from + f * n, n, turned);
      for (int s = 0; s < kPart; s += 4)
        ATTO_UNROLLED for (int j = 0; j < 4; ++j) add_run(Four(), turned + j * kPart + s, row(s + j) + f);
    }
    if (pairs > fours) {
      turn_over_two(from + fours * n, n, turned);
      for (int s = 0; s < kPart; s += 4)
        ATTO_UNROLLED for (int j = 0; j < 4; ++j)
            add_run(Two(), turned + j / 2 * kPart + s + j % 2 * 2, row(s + j) + fours);
    }
    if (features > pairs)
      for (int s = 0; s < kPart; ++s) row(s)[pairs] += from[pairs * n + s];
  }
}

void EmbedBackward(float* dtable, int width, const int32_t* ids, const float* dout, int positions, int n) {
  const size_t stride = n;
  for (int p = 0; p < positions; ++p) {
    const int32_t* at = ids + p * stride;
    const float* from = dout + p * width * stride;
    switch (width) {
      case 1:
        embed_backward_width<1>(dtable, width, at, from, stride);
        break;
      case 2:
        embed_backward_width<2>(dtable, width, at, from, stride);
        break;
      case 3:
        embed_backward_width<3>(dtable, width, at, from, stride);
        break;
      case 10:
        embed_backward_width<10>(dtable, width, at, from, stride);
        break;
      default:
        embed_backward_width<0>(dtable, width, at, from, stride);
        break;
    }
  }
}

// a + b in the lanes whose number is `wanted`, a in the others.
HWY_INLINE Group add_where(const Group& a, const Group& b, const Indices& numbers, int32_t wanted) {
  Group r;
  ATTO_EACH_PART {
    const auto hit = hn::RebindMask(Floats(), hn::Eq(numbers.part[k], hn::Set(Ints(), wanted)));
    r.part[k] = hn::IfThenElse(hit, hn::Add(a.part[k], b.part[k]), a.part[k]);
  }
  return r;
}

// The lane sums of kTokens tokens from v on, in registers while all samples pass by.
template <int kWidth, int kTokens>
HWY_INLINE void embed_lanes_tokens(float* dtable_lanes, int v, const int32_t* ids, const float* dout, int positions,
                                   size_t n) {
  float* lanes = dtable_lanes + static_cast<size_t>(v) * kWidth * kLanes;
  Group acc[kTokens * kWidth];
  ATTO_UNROLLED for (int i = 0; i < kTokens * kWidth; ++i) acc[i] = load(lanes + i * kLanes);
  for (int p = 0; p < positions; ++p) {
    for (size_t b = 0; b < n; b += kLanes) {
      const Indices token = load_indices(ids + p * n + b);
      Group d[kWidth];
      ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) d[f] = load(dout + (p * kWidth + f) * n + b);
      ATTO_UNROLLED for (int i = 0; i < kTokens * kWidth; ++i) acc[i] =
          add_where(acc[i], d[i % kWidth], token, v + i / kWidth);
    }
  }
  ATTO_UNROLLED for (int i = 0; i < kTokens * kWidth; ++i) store(acc[i], lanes + i * kLanes);
}

template <int kWidth>
void embed_lanes_width(float* dtable_lanes, int vocab, const int32_t* ids, const float* dout, int positions, size_t n) {
  constexpr int kTokens = kWidth <= 2 ? 4 : 2;
  int v = 0;
  for (; v + kTokens <= vocab; v += kTokens)
    embed_lanes_tokens<kWidth, kTokens>(dtable_lanes, v, ids, dout, positions, n);
  if (kTokens > 2 && v + 2 <= vocab) {
    embed_lanes_tokens<kWidth, 2>(dtable_lanes, v, ids, dout, positions, n);
    v += 2;
  }
  for (; v < vocab; ++v) embed_lanes_tokens<kWidth, 1>(dtable_lanes, v, ids, dout, positions, n);
}

void EmbedLanesBackward(float* dtable_lanes, int vocab, int width, const int32_t* ids, const float* dout, int positions,
                        int n) {
  switch (width) {
    case 1:
      return embed_lanes_width<1>(dtable_lanes, vocab, ids, dout, positions, n);
    case 2:
      return embed_lanes_width<2>(dtable_lanes, vocab, ids, dout, positions, n);
    case 3:
      return embed_lanes_width<3>(dtable_lanes, vocab, ids, dout, positions, n);
    default:
      return embed_lanes_width<4>(dtable_lanes, vocab, ids, dout, positions, n);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(EmbedForward);
HWY_EXPORT(EmbedBackward);
HWY_EXPORT(EmbedLanesBackward);

void embed_forward(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedForward)(table, vocab, width, ids, out, positions, n);
}
void embed_backward(float* dtable, int width, const int32_t* ids, const float* dout, int positions, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedBackward)(dtable, width, ids, dout, positions, n);
}
void embed_lanes_backward(float* dtable_lanes, int vocab, int width, const int32_t* ids, const float* dout,
                          int positions, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedLanesBackward)(dtable_lanes, vocab, width, ids, dout, positions, n);
}

}  // namespace atto
#endif
