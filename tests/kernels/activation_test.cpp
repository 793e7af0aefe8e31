// Activations against their formulas in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

double distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
double gelu_slope(double x) {
  return distribution(x) + x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

// Finely over the bend, and far out on both sides.
std::vector<float> arguments() {
  std::vector<float> x;
  for (int i = -1600; i < 1600; ++i) x.push_back(static_cast<float>(i) / 200.0f);
  for (const float far : {1e-20f, 1e-6f, 5.19f, 5.2f, 5.74f, 5.75f, 6.5f, 13.0f, 100.0f, 1e4f, 1e18f, 1e30f}) {
    x.push_back(far);
    x.push_back(-far);
  }
  x.resize((x.size() + 15) / 16 * 16);
  return x;
}

TEST(Gelu, IsAccurate) {
  const auto x = arguments();
  std::vector<Sum> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i].add(x[i] * distribution(x[i]), std::max(1.0, std::abs(double{x[i]})));
  expect_sums(
      y, [&](Memory& memory) { gelu_forward(memory.input(x), memory.result(static_cast<int>(x.size())), x.size()); },
      2e-7);
}

TEST(Gelu, IsExactFarOut) {
  const std::vector<float> x{6, 7, 100, 1e4f, 1e18f, 3e38f, 1e-30f, 0, -6, -7, -100, -1e4f, -1e18f, -3e38f, -1e-30f, 0};
  const auto y = floats_everywhere([&](Memory& memory) { gelu_forward(memory.input(x), memory.result(16), 16); });
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y[i], x[i]);
  for (int i = 8; i < 14; ++i) EXPECT_EQ(y[i], 0.0f);
  EXPECT_EQ(y[6], 5e-31f);
  EXPECT_EQ(y[7], 0.0f);
}

TEST(Gelu, BackwardIsTheSlope) {
  const auto x = arguments(), dy = draw(static_cast<int>(x.size()), 1);
  std::vector<Sum> dx(x.size());
  for (size_t i = 0; i < x.size(); ++i) dx[i].add(dy[i] * gelu_slope(x[i]), std::abs(dy[i]));
  expect_sums(
      dx,
      [&](Memory& memory) {
        gelu_backward(memory.input(x), memory.input(dy), memory.result(static_cast<int>(x.size())), x.size());
      },
      3e-7);
  expect_sums(
      dx,
      [&](Memory& memory) {
        float* both = memory.result(dy);
        gelu_backward(memory.input(x), both, both, x.size());
      },
      3e-7);
}

TEST(Gelu, KeepsNaN) {
  const std::vector<float> x(16, std::numeric_limits<float>::quiet_NaN()), dy(16, 1.0f);
  std::vector<float> y(16), dx(16);
  gelu_forward(x.data(), y.data(), 16);
  gelu_backward(x.data(), dy.data(), dx.data(), 16);
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(std::isnan(y[i]) && std::isnan(dx[i]));
}

TEST(Relu, CutsAtZero) {
  std::vector<float> x = draw(48, 2);
  const auto dy = draw(48, 3);
  x[5] = 0;
  std::vector<Sum> expected;
  for (const float value : x) expected.emplace_back(std::max(0.0f, value));
  for (size_t i = 0; i < x.size(); ++i) expected.emplace_back(x[i] > 0 ? dy[i] : 0.0f);
  expect_sums(
      expected,
      [&](Memory& memory) {
        relu_forward(memory.input(x), memory.result(48), 48);
        float* both = memory.result(dy);
        relu_backward(memory.input(x), both, both, 48);
      },
      0);
}

TEST(AddRows, AddsEveryElement) {
  for (const int count : {0, 16, 80}) {
    const auto x = draw(count, 4), y = draw(count, 5);
    std::vector<Sum> expected;
    for (int i = 0; i < count; ++i) expected.emplace_back(x[i] + y[i]);
    expect_sums(
        expected, [&](Memory& memory) { add_rows(memory.input(x), memory.result(y), count); }, 0);
  }
}

}  // namespace
}  // namespace atto
