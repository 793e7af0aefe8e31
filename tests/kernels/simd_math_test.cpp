// The arithmetic of the 16-lane group itself, compiled once per instruction set like the kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "kernels/simd/denormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_math_test.cpp"
#include <hwy/foreach_target.h>
// foreach_target first
#include "kernels/simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Arrays of whole groups.
void PowersOfTwo(const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) store(power_of_two(load(x + i)), y + i);
}
void Logarithms(const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) store(logarithm(load(x + i)), y + i);
}
void FusedMultiplyAdds(const float* a, const float* b, const float* c, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) store(fma(load(a + i), load(b + i), load(c + i)), y + i);
}
float LaneSum(const float* x) { return sum_lanes(load(x)); }

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atto {

HWY_EXPORT(PowersOfTwo);
HWY_EXPORT(Logarithms);
HWY_EXPORT(FusedMultiplyAdds);
HWY_EXPORT(LaneSum);

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr float kSmallest = std::numeric_limits<float>::min();
constexpr float kLargest = std::numeric_limits<float>::max();

class SimdMath : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { pin_target(GetParam()); }
  void TearDown() override { pin_target(""); }

  static std::vector<float> powers_of_two(const std::vector<float>& x) {
    std::vector<float> y(x.size());
    HWY_DYNAMIC_DISPATCH(PowersOfTwo)(x.data(), y.data(), x.size());
    return y;
  }
  static std::vector<float> logarithms(const std::vector<float>& x) {
    std::vector<float> y(x.size());
    HWY_DYNAMIC_DISPATCH(Logarithms)(x.data(), y.data(), x.size());
    return y;
  }
};
INSTANTIATE_TEST_SUITE_P(Target, SimdMath, testing::ValuesIn(supported_targets()),
                         [](const auto& one) { return one.param; });

// Every 4099th float between two bounds of one sign, a multiple of 16 of them.
std::vector<float> floats_between(float low, float high) {
  std::vector<float> all;
  const auto from = std::bit_cast<uint32_t>(low), to = std::bit_cast<uint32_t>(high);
  for (uint32_t bits = from; bits <= to; bits += 4099) all.push_back(std::bit_cast<float>(bits));
  all.resize((all.size() + 15) / 16 * 16, high);
  return all;
}

TEST_P(SimdMath, PowerOfTwoIsAccurate) {
  for (const auto& x : {floats_between(0.0f, 127.0f), floats_between(-0.0f, -126.0f)}) {
    const std::vector<float> y = powers_of_two(x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp2(static_cast<double>(x[i]));
      ASSERT_NEAR(y[i], exact, 1.6e-7 * exact) << "2^" << x[i];
    }
  }
}

TEST_P(SimdMath, PowerOfTwoIsExactForWholeNumbers) {
  std::vector<float> x;
  for (int n = -126; n <= 127; ++n) x.push_back(static_cast<float>(n));
  x.resize(256);
  const std::vector<float> y = powers_of_two(x);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], std::exp2(x[i])) << "2^" << x[i];
}

TEST_P(SimdMath, PowerOfTwoAtTheEdges) {
  std::vector<float> x(16);
  x[1] = -0.0f, x[2] = -126.1f, x[3] = -1e4f, x[4] = -kInfinity, x[5] = -kLargest, x[6] = kNan, x[7] = kTiny;
  const FlushDenormals guard;  // as while a step runs
  const std::vector<float> y = powers_of_two(x);
  EXPECT_EQ(y[0], 1.0f);
  EXPECT_EQ(y[1], 1.0f);
  for (int i = 2; i <= 5; ++i) EXPECT_EQ(y[i], 0.0f) << x[i];
  EXPECT_TRUE(std::isnan(y[6]));
  EXPECT_EQ(y[7], 1.0f);
}

TEST_P(SimdMath, LogarithmIsAccurate) {
  const std::vector<float> x = floats_between(kSmallest, kLargest);
  const std::vector<float> y = logarithms(x);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::log(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i], exact, 1e-7 + 1e-7 * std::abs(exact)) << "ln " << x[i];
  }
  EXPECT_EQ(logarithms(std::vector<float>(16, 1.0f))[0], 0.0f);
  EXPECT_TRUE(std::isnan(logarithms(std::vector<float>(16, kNan))[0]));
}

struct Triples {
  std::vector<float> a, b, c;
  void add(float x, float y, float z) { a.push_back(x), b.push_back(y), c.push_back(z); }
  void fill_group() {
    while (a.size() % 16 != 0) add(1, 1, 1);
  }
};

// Libm's answer, in a function of its own so that it runs under the caller's rounding and denormal modes.
[[gnu::noinline]] void fused_reference(const Triples& of, std::vector<float>& y) {
  y.resize(of.a.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::fma(of.a[i], of.b[i], of.c[i]);
}

void expect_fused(const Triples& triples) {
  std::vector<float> expected, actual(triples.a.size());
  fused_reference(triples, expected);
  HWY_DYNAMIC_DISPATCH(FusedMultiplyAdds)
  (triples.a.data(), triples.b.data(), triples.c.data(), actual.data(), actual.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;  // which NaN is nobody's promise
    ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]), std::bit_cast<uint32_t>(expected[i]))
        << std::hexfloat << "fma(" << triples.a[i] << ", " << triples.b[i] << ", " << triples.c[i]
        << ") = " << actual[i] << ", not " << expected[i];
  }
}

void expect_fused_in_both_modes(const Triples& triples) {
  expect_fused(triples);
  const FlushDenormals guard;
  expect_fused(triples);
}

TEST_P(SimdMath, FusedMultiplyAddOfSpecialNumbers) {
  const std::vector<float> special{0.0f,        1.0f,        1 + 0x1p-23f,    1 - 0x1p-24f, 3.0f,      0x1p-12f,
                                   0x1p-75f,    0x1p-126f,   kSmallest,       kTiny,        3 * kTiny, 0x1p-140f,
                                   kLargest,    0x1p100f,    kInfinity,       kNan,         0x1p-24f,  0x1p23f,
                                   16777217.0f, 1.0f / 3.0f, 0x1.fffffep-127f};
  Triples all;
  for (const float a : special)
    for (const float b : special)
      for (const float c : special)
        for (int signs = 0; signs < 8; ++signs) all.add(signs & 1 ? -a : a, signs & 2 ? -b : b, signs & 4 ? -c : c);
  all.fill_group();
  expect_fused_in_both_modes(all);
}

// Two million bit patterns: a third anything at all, a third with an addend near the product, a third where the result
// falls among the denormal numbers.
TEST_P(SimdMath, FusedMultiplyAddOfRandomNumbers) {
  std::mt19937 random(20240601);
  Triples all;
  for (int i = 0; i < 2'000'000 / 3; ++i) {
    const auto bits = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
    all.add(bits(), bits(), bits());
    const auto near_one = [&] {
      return std::bit_cast<float>(0x3f000000u | (static_cast<uint32_t>(random()) & 0x80ffffffu));
    };
    const float a = near_one(), b = near_one();
    // The addend cancels the product, or lies up to 60 binary places above or below it.
    const int places = static_cast<int>(random() % 121) - 60;
    all.add(a, b, random() % 4 == 0 ? -(a * b) : std::ldexp(near_one(), places));
    all.add(std::ldexp(near_one(), -70), std::ldexp(near_one(), -62 - static_cast<int>(random() % 20)),
            std::ldexp(near_one(), -126 - static_cast<int>(random() % 26)));
  }
  all.fill_group();
  expect_fused_in_both_modes(all);
}

TEST_P(SimdMath, LanesAreSummedInAFixedTree) {
  for (unsigned stream = 0; stream < 1000; ++stream) {
    std::vector<float> x = draw(16, stream);
    for (size_t i = 0; i < 16; ++i) x[i] = std::ldexp(x[i], static_cast<int>(i * stream) % 30);
    const float actual = HWY_DYNAMIC_DISPATCH(LaneSum)(x.data());
    for (size_t half = 8; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i) x[i] += x[i + half];
    ASSERT_EQ(actual, x[0]);
  }
}

TEST(FlushDenormalsGuard, FlushesWhileItLivesAndNotAfter) {
  volatile float small = kSmallest, half = 0.5f, tiny = kTiny, large = 0x1p100f;
  EXPECT_NE(small * half, 0.0f);
  {
    const FlushDenormals guard;
    EXPECT_TRUE(small * half == 0.0f) << "a denormal result";
    EXPECT_TRUE(tiny * large == 0.0f) << "a denormal input";
    { const FlushDenormals inner; }
    EXPECT_TRUE(small * half == 0.0f) << "an inner guard must restore what it found";
  }
  EXPECT_NE(small * half, 0.0f);
  EXPECT_NE(tiny * large, 0.0f);
}

// The edge, where the next float below is a denormal. Results are the same on every processor but for one sliver: what lies
// within 2^-151 of the edge, below it. x86 rounds to 24 bits first and finds it normal, ARM flushes it before rounding.
TEST(FlushDenormalsGuard, AtTheEdge) {
  volatile float edge = kSmallest, above = 1 + 0x1p-23f, below = 1 - 0x1p-23f, least_below = 1 - 0x1p-24f;
  const FlushDenormals guard;
  EXPECT_EQ(edge * above, kSmallest * (1 + 0x1p-23f));
  EXPECT_TRUE(edge * least_below == 0.0f) << "2^-150 below the edge: a denormal, rounded or not";
  volatile float scaled = edge * above;
#if defined(__aarch64__)
  const float sliver = 0.0f;
#else
  const float sliver = kSmallest;
#endif
  EXPECT_EQ(scaled * below, sliver) << "2^-172 below the edge";
}

}  // namespace
}  // namespace atto
#endif
