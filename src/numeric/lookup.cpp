// Table lookups (the embedding) and their gradient.
//
// A table row holds the D features of one token side by side, an activation row one feature of many samples. Blocks of
// 4 features × 4 samples are turned over in registers, so that both sides are read and written in runs of four.
#include "numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/lookup.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "numeric/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

using Four = hn::FixedTag<float, 4>;
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

void EmbedForward(const float* table, int width, const int32_t* ids, float* out, int n) {
  const size_t stride = n;
  const int blocked = width / 4 * 4;
  for (int b = 0; b < n && blocked > 0; b += 4) {
    for (int f = 0; f < blocked; f += 4) {
      Block block;
      for (int s = 0; s < 4; ++s) block.row[s] = hn::LoadU(Four(), table + static_cast<size_t>(ids[b + s]) * width + f);
      block = transpose(block);
      for (int r = 0; r < 4; ++r) hn::StoreU(block.row[r], Four(), out + (f + r) * stride + b);
    }
  }
  if (blocked == width) return;
  const Ints i;
  for (int b = 0; b < n; b += kPart) {
    const auto row = hn::Mul(hn::LoadU(i, ids + b), hn::Set(i, width));
    for (int f = blocked; f < width; ++f)
      hn::StoreU(hn::GatherIndex(Floats(), table + f, row), Floats(), out + f * stride + b);
  }
}

// Samples may share a token, so the rows of the table are updated one sample after the other. kWidth > 0 fixes D.
template <int kWidth>
HWY_INLINE void embed_backward_width(float* dtable, int width, const int32_t* ids, const float* dout, int n) {
  const size_t stride = n;
  const int features = kWidth > 0 ? kWidth : width;
  const int blocked = features / 4 * 4;
  for (int b = 0; b < n; b += 4) {
    for (int f = 0; f < blocked; f += 4) {
      Block block;
      for (int r = 0; r < 4; ++r) block.row[r] = hn::LoadU(Four(), dout + (f + r) * stride + b);
      block = transpose(block);
      for (int s = 0; s < 4; ++s) {
        float* row = dtable + static_cast<size_t>(ids[b + s]) * features + f;
        hn::StoreU(hn::Add(hn::LoadU(Four(), row), block.row[s]), Four(), row);
      }
    }
    for (int s = 0; s < 4; ++s) {
      float* row = dtable + static_cast<size_t>(ids[b + s]) * features;
      for (int f = blocked; f < features; ++f) row[f] += dout[f * stride + b + s];
    }
  }
}

void EmbedBackward(float* dtable, int width, const int32_t* ids, const float* dout, int n) {
  switch (width) {
    case 1:
      return embed_backward_width<1>(dtable, width, ids, dout, n);
    case 2:
      return embed_backward_width<2>(dtable, width, ids, dout, n);
    case 3:
      return embed_backward_width<3>(dtable, width, ids, dout, n);
    case 10:
      return embed_backward_width<10>(dtable, width, ids, dout, n);
    default:
      return embed_backward_width<0>(dtable, width, ids, dout, n);
  }
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(EmbedForward);
HWY_EXPORT(EmbedBackward);

void embed_forward(const float* table, int width, const int32_t* ids, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedForward)(table, width, ids, out, n);
}
void embed_backward(float* dtable, int width, const int32_t* ids, const float* dout, int n) {
  HWY_DYNAMIC_DISPATCH(EmbedBackward)(dtable, width, ids, dout, n);
}

}  // namespace atto
#endif
