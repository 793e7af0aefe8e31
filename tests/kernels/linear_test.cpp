// Linear maps, biases and lane sums against plain loops in double.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto {
namespace {

// The parameter is the width of the input; the other extents are looped over.
class LinearKernels : public testing::TestWithParam<int> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int out : {1, 2, 3, 4, 7, 10, 33})
      for (const int n : kLaneCounts) {
        SCOPED_TRACE("out " + std::to_string(out) + ", lanes " + std::to_string(n));
        check(out, GetParam(), n);
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Width, LinearKernels, testing::ValuesIn(kWidths));

TEST_P(LinearKernels, ForwardIsTheMatrixProduct) {
  for_shapes([](int out, int in, int n) {
    const auto w = draw(out * in, 1), x = draw(in * n, 2);
    std::vector<Sum> y(out * n);
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i)
        for (int b = 0; b < n; ++b) y[o * n + b].add(static_cast<double>(w[o * in + i]) * x[i * n + b]);
    expect_sums(y, [&](Memory& memory) {
      linear_forward(memory.input(w), out, in, memory.input(x), memory.result(out * n), n);
    });
  });
}

TEST_P(LinearKernels, TransposedWritesOrAdds) {
  for_shapes([](int out, int in, int n) {
    const auto w = draw(out * in, 3), x = draw(out * n, 4), start = draw(in * n, 5);
    for (const bool add : {false, true}) {
      std::vector<Sum> y(in * n);
      for (int i = 0; i < in; ++i)
        for (int b = 0; b < n; ++b) {
          Sum& sum = y[i * n + b];
          if (add) sum.add(start[i * n + b]);
          for (int o = 0; o < out; ++o) sum.add(static_cast<double>(w[o * in + i]) * x[o * n + b]);
        }
      expect_sums(y, [&](Memory& memory) {
        float* result = add ? memory.result(start) : memory.result(in * n);
        transposed_forward(memory.input(w), out, in, memory.input(x), result, n, add);
      });
    }
  });
}

TEST_P(LinearKernels, WeightGradientAddsToLaneSums) {
  for_shapes([](int out, int in, int n) {
    const auto dy = draw(out * n, 6), x = draw(in * n, 7), start = draw(out * in * kLanes, 8);
    std::vector<Sum> dw;
    for (const float value : start) dw.emplace_back(value);
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i)
        for (int b = 0; b < n; ++b)
          dw[(o * in + i) * kLanes + b % kLanes].add(static_cast<double>(dy[o * n + b]) * x[i * n + b]);
    expect_sums(dw, [&](Memory& memory) {
      linear_weight_backward(memory.result(start), out, in, memory.input(dy), memory.input(x), n);
    });
  });
}

TEST_P(LinearKernels, GradientsAreTheSlopesOfTheForwardPass) {
  const int out = 5, in = GetParam(), n = 32;
  const auto w = draw(out * in, 9), x = draw(in * n, 10), dy = draw(out * n, 11);
  std::vector<double> wd(w.begin(), w.end()), xd(x.begin(), x.end());
  const auto loss = [&] {  // Σ dy · (W x)
    double sum = 0;
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i)
        for (int b = 0; b < n; ++b) sum += dy[o * n + b] * wd[o * in + i] * xd[i * n + b];
    return sum;
  };
  std::vector<Sum> expected;
  for (double& value : wd) expected.push_back({}), expected.back().add(slope(value, loss), n);
  for (double& value : xd) expected.push_back({}), expected.back().add(slope(value, loss), out);
  expect_sums(expected, [&](Memory& memory) {
    float* dw = memory.result(std::vector<float>(w.size()));
    float* lanes = memory.scratch(std::vector<float>(w.size() * kLanes));
    linear_weight_backward(lanes, out, in, memory.input(dy), memory.input(x), n);
    const LaneRange all{0, 0, w.size()};
    sum_lane_gradients(lanes, &all, 1, dw);
    transposed_forward(memory.input(w), out, in, memory.input(dy), memory.result(in * n), n, false);
  });
}

TEST_P(LinearKernels, BiasIsAddedToEveryLane) {
  const int width = GetParam();
  for (const int n : kLaneCounts) {
    const auto bias = draw(width, 12), x = draw(width * n, 13);
    std::vector<Sum> expected;
    for (int i = 0; i < width * n; ++i) expected.emplace_back(x[i]), expected.back().add(bias[i / n]);
    expect_sums(expected, [&](Memory& memory) { add_bias_forward(memory.input(bias), width, memory.result(x), n); });
  }
}

TEST_P(LinearKernels, BiasGradientAddsToLaneSums) {
  const int width = GetParam();
  for (const int n : kLaneCounts) {
    const auto dx = draw(width * n, 14), start = draw(width * kLanes, 15);
    std::vector<Sum> expected;
    for (const float value : start) expected.emplace_back(value);
    for (int i = 0; i < width * n; ++i) expected[i / n * kLanes + i % n % kLanes].add(dx[i]);
    expect_sums(expected, [&](Memory& memory) { add_bias_backward(memory.result(start), width, memory.input(dx), n); });
  }
}

// Two ranges, the second with a gap before it among the weights, which stays as it was.
TEST(LaneSums, AreAddedAndCleared) {
  constexpr size_t kGap = 3, kSecond = 5;
  for (size_t count = 0; count <= kMostElements; ++count) {
    const LaneRange ranges[2] = {{0, 0, count}, {count + kGap, count, kSecond}};
    const size_t sums = count + kSecond, weights = sums + kGap;
    const auto lanes = draw(static_cast<int>(sums) * kLanes, 16), start = draw(static_cast<int>(weights), 17);
    std::vector<Sum> expected(sums * kLanes);  // all zero
    for (const float value : start) expected.emplace_back(value);
    for (const LaneRange& range : ranges)
      for (size_t i = 0; i < range.count; ++i)
        for (size_t lane = 0; lane < kLanes; ++lane)
          expected[sums * kLanes + range.weight + i].add(lanes[(range.sum + i) * kLanes + lane]);
    expect_sums(expected, [&](Memory& memory) {
      float* dw_lanes = memory.result(lanes);
      sum_lane_gradients(dw_lanes, ranges, 2, memory.result(start));
    });
  }
}

TEST_P(LinearKernels, OuterProductsSumOverSamples) {
  for_shapes([](int out, int in, int n) {
    const int stride = (in + 15) / 16 * 16;
    const auto dy = draw(out * n, 6), x = draw(n * stride, 7);
    std::vector<Sum> dw(out * in);
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i)
        for (int b = 0; b < n; ++b) dw[o * in + i].add(static_cast<double>(dy[o * n + b]) * x[b * stride + i]);
    expect_sums(dw, [&](Memory& memory) {
      outer_products(memory.result(out * in), out, in, memory.input(dy), memory.input(x), static_cast<size_t>(stride),
                     n);
    });
  });
}

}  // namespace
}  // namespace atto
