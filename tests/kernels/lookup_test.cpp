// Table lookups and their gradient against plain loops.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto {
namespace {

class LookupKernels : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Width, LookupKernels, testing::ValuesIn(kWidths));

// V: one to eight registers of a column held in registers, and beyond.
constexpr std::array kVocabularies{1, 2, 5, 16, 17, 33, 64, 100, 128, 129};
constexpr std::array kPositions{1, 3};

TEST_P(LookupKernels, ForwardCopiesTheRowOfEachToken) {
  const int width = GetParam();
  for (const int vocab : kVocabularies) {
    for (const int n : kLaneCounts) {
      for (const int positions : kPositions) {
        const auto table = draw(vocab * width, 1);
        const auto ids = draw_ids(positions * n, vocab, 2);
        std::vector<uint32_t> expected(positions * width * n);
        for (int p = 0; p < positions; ++p)
          for (int f = 0; f < width; ++f)
            for (int b = 0; b < n; ++b)
              std::memcpy(&expected[(p * width + f) * n + b], &table[ids[p * n + b] * width + f], sizeof(float));
        EXPECT_EQ(run_everywhere([&](Memory& memory) {
                    embed_forward(memory.input(table), vocab, width, memory.input(ids),
                                  memory.result(positions * width * n), positions, n);
                  }),
                  expected)
            << "vocabulary " << vocab << ", lanes " << n;
      }
    }
  }
}

TEST_P(LookupKernels, BackwardAddsSampleAfterSample) {
  const int width = GetParam();
  for (const int vocab : {1, 2, 5, 100, 128, 129}) {
    for (const int n : kLaneCounts) {
      for (const int positions : kPositions) {
        const auto start = draw(vocab * width, 3), dout = draw(positions * width * n, 4);
        const auto ids = draw_ids(positions * n, vocab, 5);
        std::vector<float> expected = start;  // the order of the additions is promised, so the bits are known
        for (int p = 0; p < positions; ++p)
          for (int b = 0; b < n; ++b)
            for (int f = 0; f < width; ++f) expected[ids[p * n + b] * width + f] += dout[(p * width + f) * n + b];
        EXPECT_EQ(floats_everywhere([&](Memory& memory) {
                    embed_backward(memory.result(start), vocab, width, memory.input(ids), memory.input(dout), positions, n);
                  }),
                  expected)
            << "vocabulary " << vocab << ", lanes " << n;
      }
    }
  }
}

class ComparedLookups : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Width, ComparedLookups, testing::Range(1, kNarrowWidth + 1));

TEST_P(ComparedLookups, BackwardAddsPerLane) {
  const int width = GetParam();
  for (int vocab = 1; vocab <= kComparedVocabulary; ++vocab) {
    for (const int n : kLaneCounts) {
      const int positions = 3;
      const auto start = draw(vocab * width * kLanes, 3), dout = draw(positions * width * n, 4);
      const auto ids = draw_ids(positions * n, vocab, 5);
      std::vector<float> expected = start;
      for (int p = 0; p < positions; ++p)
        for (int b = 0; b < n; ++b)
          for (int f = 0; f < width; ++f)
            expected[(ids[p * n + b] * width + f) * kLanes + b % kLanes] += dout[(p * width + f) * n + b];
      EXPECT_EQ(floats_everywhere([&](Memory& memory) {
                  embed_lanes_backward(memory.result(start), vocab, width, memory.input(ids), memory.input(dout),
                                       positions, n);
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
    embed_backward(memory.result(std::vector<float>(table.size())), vocab, width, memory.input(ids), memory.input(dout), 1, n);
  });
}

}  // namespace
}  // namespace atto
