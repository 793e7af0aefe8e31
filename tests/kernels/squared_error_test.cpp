// The squared error against its formula in double.
#include <gtest/gtest.h>

#include <bit>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

TEST(SquaredError, IsSummedWithItsGradient) {
  for (const int width : {1, 3, 8, 33})
    for (const int n : {0, 16, 32, 48}) {
      SCOPED_TRACE("width " + std::to_string(width) + ", lanes " + std::to_string(n));
      const auto y = draw(width * n, 1), answers = draw(width * n, 2), weights = draw(n, 3);
      const float scale = 0.3f;
      Sum loss(7.0);
      std::vector<Sum> expected(width * n);
      for (int f = 0; f < width; ++f)
        for (int b = 0; b < n; ++b) {
          const double apart = static_cast<double>(y[f * n + b]) - answers[f * n + b];
          loss.add(weights[b] * apart * apart / 2);
          expected[f * n + b].add(scale * weights[b] * apart);
        }
      expected.push_back(loss);
      expect_sums(expected, [&](Memory& memory) {
        float* dy = memory.result(width * n);
        LossSums sums{7.0, 0.0}, alone{7.0, 0.0};
        squared_error(memory.input(y), memory.input(answers), memory.input(weights), width, scale, dy, sums, n);
        squared_error(memory.input(y), memory.input(answers), memory.input(weights), width, scale, nullptr, alone, n);
        EXPECT_EQ(std::bit_cast<uint64_t>(sums.loss), std::bit_cast<uint64_t>(alone.loss));
        EXPECT_EQ(sums.correct, 0.0);
        memory.result(std::vector<float>{static_cast<float>(sums.loss)});
      });
    }
}

}  // namespace
}  // namespace atto
