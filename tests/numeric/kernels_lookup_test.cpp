// Table lookups and their gradient against plain loops.
#include <gtest/gtest.h>

#include "numeric/kernel_testing.h"
#include "numeric/kernels.h"

namespace atto {
namespace {

class LookupKernels : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Width, LookupKernels, testing::ValuesIn(kWidths));

TEST_P(LookupKernels, ForwardCopiesTheRowOfEachToken) {
  const int width = GetParam();
  for (const int vocab : {1, 2, 5, 100}) {
    for (const int n : kLanes) {
      const auto table = draw(vocab * width, 1);
      const auto ids = draw_ids(n, vocab, 2);
      std::vector<uint32_t> expected(width * n);
      for (int f = 0; f < width; ++f)
        for (int b = 0; b < n; ++b) std::memcpy(&expected[f * n + b], &table[ids[b] * width + f], sizeof(float));
      EXPECT_EQ(run_everywhere([&](Memory& memory) {
                  embed_forward(memory.input(table), width, memory.input(ids), memory.result(width * n), n);
                }),
                expected)
          << "vocabulary " << vocab << ", lanes " << n;
    }
  }
}

TEST_P(LookupKernels, BackwardAddsSampleAfterSample) {
  const int width = GetParam();
  for (const int vocab : {1, 2, 5, 100}) {
    for (const int n : kLanes) {
      const auto start = draw(vocab * width, 3), dout = draw(width * n, 4);
      const auto ids = draw_ids(n, vocab, 5);
      std::vector<float> expected = start;  // the order of the additions is promised, so the bits are known
      for (int b = 0; b < n; ++b)
        for (int f = 0; f < width; ++f) expected[ids[b] * width + f] += dout[f * n + b];
      EXPECT_EQ(floats_everywhere([&](Memory& memory) {
                  embed_backward(memory.result(start), width, memory.input(ids), memory.input(dout), n);
                }),
                expected)
          << "vocabulary " << vocab << ", lanes " << n;
    }
  }
}

TEST_P(LookupKernels, BackwardIsTheSlopeOfForward) {
  const int width = GetParam(), vocab = 5, n = 32;
  const auto table = draw(vocab * width, 6), dout = draw(width * n, 7);
  const auto ids = draw_ids(n, vocab, 8);
  std::vector<double> entries(table.begin(), table.end());
  const auto loss = [&] {  // Σ dout · table[ids]
    double sum = 0;
    for (int f = 0; f < width; ++f)
      for (int b = 0; b < n; ++b) sum += dout[f * n + b] * entries[ids[b] * width + f];
    return sum;
  };
  std::vector<Sum> expected(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) expected[i].add(slope(entries[i], loss), n);
  expect_sums(expected, [&](Memory& memory) {
    embed_backward(memory.result(std::vector<float>(table.size())), width, memory.input(ids), memory.input(dout), n);
  });
}

}  // namespace
}  // namespace atto
