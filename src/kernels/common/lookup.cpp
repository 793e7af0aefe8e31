// Table lookups (the embedding) and their gradient.
//
// A table row holds the D features of one token side by side, an activation row one feature of many samples. Forward, a
// small table is turned over and a column of it held in registers (register_lookup-inl.h); of a large one blocks of 4
// or 2 features × 4 samples are turned over. Backward, blocks of features of a whole register of samples are, so that the rows of the
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

// Two features of each sample, for every sample: a pair is one load.
HWY_INLINE void embed_pairs(const float* table, int width, const int32_t* ids, float* out, size_t n) {
  const Four d;
  const auto pair = [&](size_t b) HWY_ATTR { return hn::LoadU(Two(), table + static_cast<size_t>(ids[b]) * width); };
  for (size_t b = 0; b < n; b += 4) {
    const auto low = hn::Combine(d, pair(b + 1), pair(b)), high = hn::Combine(d, pair(b + 3), pair(b + 2));
    hn::StoreU(hn::ConcatEven(d, high, low), d, out + b);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, out + n + b);
  }
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
  int f = blocked;
  if (f + 2 <= width) {
    if (width == 2) embed_pairs(table, 2, ids, out, n);  // whose rows are found without a product
    else embed_pairs(table + f, width, ids, out + f * n, n);
    f += 2;
  }
  if (f < width) {
    const GatheredColumn column(table + f, 0, width);
    for (size_t b = 0; b < n; b += kLanes) store(column(load_indices(ids + b)), out + f * n + b);
  }
}

// Rows of a table of 5 to 16 features, for AVX-512.
template <int kRuns>
void embed_runs(const float* table, int width, const int32_t* ids, float* out, size_t n);
template <int kRuns>
void embed_backward_runs(float* dtable, int vocab, int width, const int32_t* ids, const float* dout, int positions,
                         size_t n);
inline constexpr int kMostSpread = 128;  // rows of those that the latter takes

#if HWY_TARGET <= HWY_AVX3
// Four features at a time are a run of floats: of 16 samples such runs are turned over within registers. The last run
// ends with the row, and repeats features of the one before.
inline constexpr int kLeastRuns = 2, kMostRuns = 4;
inline constexpr __mmask16 kQuarter[4] = {0x000f, 0x00f0, 0x0f00, 0xf000};

template <int kRuns>
HWY_INLINE int first_of_run(int run, int width) {
  return run + 1 < kRuns ? 4 * run : width - 4;
}

// Sample 4i + j has its features of a run in quarter i of quarters[j].
HWY_INLINE void turn_quarters(const __m512 (&quarters)[4], __m512 (&features)[4]) {
  const __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(quarters[0], quarters[1]));
  const __m512d high01 = _mm512_castps_pd(_mm512_unpackhi_ps(quarters[0], quarters[1]));
  const __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(quarters[2], quarters[3]));
  const __m512d high23 = _mm512_castps_pd(_mm512_unpackhi_ps(quarters[2], quarters[3]));
  features[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(low01, low23));
  features[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low01, low23));
  features[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high01, high23));
  features[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high01, high23));
}

template <int kRuns>
void embed_runs(const float* table, int width, const int32_t* ids, float* out, size_t n) {
  for (size_t b = 0; b < n; b += kLanes) {
    __m512 quarters[kRuns][4];
    ATTO_UNROLLED for (int j = 0; j < 4; ++j) {
      ATTO_UNROLLED for (int i = 0; i < 4; ++i) {
        const float* row = table + static_cast<size_t>(ids[b + 4 * i + j]) * width;
        ATTO_UNROLLED for (int k = 0; k < kRuns; ++k) {
          const __m128 four = _mm_loadu_ps(row + first_of_run<kRuns>(k, width));
          quarters[k][j] = i == 0 ? _mm512_castps128_ps512(four)
                                  : _mm512_mask_broadcast_f32x4(quarters[k][j], kQuarter[i], four);
        }
      }
    }
    ATTO_UNROLLED for (int k = 0; k < kRuns; ++k) {
      __m512 features[4];
      turn_quarters(quarters[k], features);
      float* to = out + first_of_run<kRuns>(k, width) * n + b;
      ATTO_UNROLLED for (int f = 0; f < 4; ++f) _mm512_storeu_ps(to + f * n, features[f]);
    }
  }
}
#endif

// Calls go<runs>() for the rows of a table that have kernels of their own; false for all others.
template <class Go>
HWY_INLINE bool with_runs([[maybe_unused]] int width, [[maybe_unused]] const Go& go) {
#if HWY_TARGET <= HWY_AVX3
  if (width > 4 * (kLeastRuns - 1) && width <= 4 * kMostRuns) {
    if (width <= 8) go.template operator()<2>();
    else if (width <= 12) go.template operator()<3>();
    else go.template operator()<4>();
    return true;
  }
#endif
  return false;
}

void EmbedForward(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions, int n) {
  const size_t stride = n;
  if (vocab > kFewPermuted && with_runs(width, [&]<int kRuns>() HWY_ATTR {
        for (int p = 0; p < positions; ++p)
          embed_runs<kRuns>(table, width, ids + p * stride, out + p * width * stride, stride);
      }))
    return;
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

#if HWY_TARGET <= HWY_AVX3
// The same of rows that fit a register, which are kept 16 floats apart meanwhile: a sample then takes one addition.
template <int kRuns>
void embed_backward_spread(float* spread, int width, const int32_t* ids, const float* dout, size_t n) {
  HWY_ALIGN float turned[kRuns][4 * kLanes];
  for (size_t b = 0; b < n; b += kLanes) {
    ATTO_UNROLLED for (int k = 0; k < kRuns; ++k) {
      __m512 rows[4], samples[4];
      ATTO_UNROLLED for (int f = 0; f < 4; ++f) rows[f] =
          k + 1 < kRuns || 4 * k + f < width ? _mm512_loadu_ps(dout + (4 * k + f) * n + b) : _mm512_setzero_ps();
      turn_quarters(rows, samples);  // sample 4i + j in quarter i of samples[j]
      ATTO_UNROLLED for (int j = 0; j < 4; ++j) _mm512_store_ps(turned[k] + j * kLanes, samples[j]);
    }
    // Through memory: the compiler would take the samples out of the registers by shuffles, which are the bottleneck.
    __asm__ volatile("" : : "r"(turned) : "memory");
    ATTO_UNROLLED for (int i = 0; i < 4; ++i) {
      ATTO_UNROLLED for (int j = 0; j < 4; ++j) {
        const int at = j * kLanes + 4 * i;
        __m512 added = _mm512_zextps128_ps512(_mm_load_ps(turned[0] + at));
        ATTO_UNROLLED for (int k = 1; k < kRuns; ++k) added =
            _mm512_mask_broadcast_f32x4(added, kQuarter[k], _mm_load_ps(turned[k] + at));
        float* row = spread + static_cast<size_t>(ids[b + 4 * i + j]) * kLanes;
        _mm512_store_ps(row, _mm512_add_ps(_mm512_load_ps(row), added));
      }
    }
  }
}

template <int kRuns>
void embed_backward_runs(float* dtable, int vocab, int width, const int32_t* ids, const float* dout, int positions,
                         size_t n) {
  HWY_ALIGN float spread[kMostSpread * kLanes];
  const auto mask = static_cast<__mmask16>((1u << width) - 1);
  for (int v = 0; v < vocab; ++v) _mm512_store_ps(spread + v * kLanes, _mm512_maskz_loadu_ps(mask, dtable + v * width));
  for (int p = 0; p < positions; ++p)
    embed_backward_spread<kRuns>(spread, width, ids + p * n, dout + static_cast<size_t>(p) * width * n, n);
  for (int v = 0; v < vocab; ++v) _mm512_mask_storeu_ps(dtable + v * width, mask, _mm512_load_ps(spread + v * kLanes));
}
#endif

void EmbedBackward(float* dtable, int vocab, int width, const int32_t* ids, const float* dout, int positions, int n) {
  const size_t stride = n;
  // Spreading the table and back takes a small part of the time if there are more samples than rows.
  if (vocab <= kMostSpread && vocab <= positions * n && with_runs(width, [&]<int kRuns>() HWY_ATTR {
        embed_backward_runs<kRuns>(dtable, vocab, width, ids, dout, positions, stride);
      }))
    return;
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

// The lane sums of kTokens tokens from v on, in registers while all samples pass by: one part of a group after the other,
// or there would be too few registers where a group takes several.
template <int kWidth, int kTokens>
HWY_INLINE void embed_lanes_tokens(float* dtable_lanes, int v, const int32_t* ids, const float* dout, int positions,
                                   size_t n) {
  const Floats d;
  const Ints whole;
  ATTO_EACH_PART {
    float* lanes = dtable_lanes + static_cast<size_t>(v) * kWidth * kLanes + k * kPart;
    hn::Vec<Floats> sums[kTokens * kWidth];
    ATTO_UNROLLED for (int i = 0; i < kTokens * kWidth; ++i) sums[i] = hn::LoadU(d, lanes + i * kLanes);
    for (int p = 0; p < positions; ++p) {
      const float* from = dout + static_cast<size_t>(p) * kWidth * n + k * kPart;
      for (size_t b = 0; b < n; b += kLanes) {
        const auto token = hn::LoadU(whole, ids + p * n + b + k * kPart);
        hn::Vec<Floats> row[kWidth];
        ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) row[f] = hn::LoadU(d, from + f * n + b);
        ATTO_UNROLLED for (int t = 0; t < kTokens; ++t) {
          const auto hit = hn::RebindMask(d, hn::Eq(token, hn::Set(whole, v + t)));
          ATTO_UNROLLED for (int f = 0; f < kWidth; ++f) {
            auto& sum = sums[t * kWidth + f];
            sum = hn::IfThenElse(hit, hn::Add(sum, row[f]), sum);
          }
        }
      }
    }
    ATTO_UNROLLED for (int i = 0; i < kTokens * kWidth; ++i) hn::StoreU(sums[i], d, lanes + i * kLanes);
  }
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
void embed_backward(float* dtable, int vocab, int width, const int32_t* ids, const float* dout, int positions, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedBackward)(dtable, vocab, width, ids, dout, positions, n);
}
void embed_lanes_backward(float* dtable_lanes, int vocab, int width, const int32_t* ids, const float* dout,
                          int positions, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedLanesBackward)(dtable_lanes, vocab, width, ids, dout, positions, n);
}

}  // namespace atto
#endif
