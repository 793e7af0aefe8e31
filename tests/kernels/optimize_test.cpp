// Optimizer updates against the textbook formulas in double, for every number of elements.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"
#include "kernels/simd/denormals.h"

namespace atto {
namespace {

// Both updates with one rate for all parameters and with a factor for each.
class OptimizerKernels : public testing::TestWithParam<bool> {
 protected:
  // nullptr, or the factors in the buffers of this call.
  static const float* factors(Memory& memory, int count) {
    return GetParam() ? memory.input(draw(count, 11)) : nullptr;
  }
  static std::vector<double> factor_values(int count) {
    const auto drawn = draw(count, 11);
    return GetParam() ? std::vector<double>(drawn.begin(), drawn.end()) : std::vector<double>(drawn.size(), 1.0);
  }
};
INSTANTIATE_TEST_SUITE_P(Factors, OptimizerKernels, testing::Bool());

TEST_P(OptimizerKernels, AdamFollowsTheFormula) {
  const AdamStep step{0.9f, 0.999f, 0.02f, 3.5f, 1e-8f};
  const double rest1 = 1.0f - step.beta1, rest2 = 1.0f - step.beta2;
  for (int count = 0; count <= kMostElements; ++count) {
    const auto p = draw(count, 1), g = draw(count, 2), m = draw(count, 3);
    auto v = draw(count, 4);
    for (float& value : v) value = std::abs(value);
    const auto factor = factor_values(count);
    std::vector<Sum> ps, ms, vs;
    for (int i = 0; i < count; ++i) {
      const double gradient = g[i];
      Sum mean(static_cast<double>(step.beta1) * m[i]), square(static_cast<double>(step.beta2) * v[i]), next(p[i]);
      mean.add(rest1 * gradient);
      square.add(rest2 * gradient * gradient);
      const double pace = step.rate * factor[i] / (std::sqrt(square.value) * step.root_scale + step.epsilon);
      next.add(-pace * mean.value, std::abs(pace) * mean.size);
      ps.push_back(next);
      ms.push_back(mean);
      vs.push_back(square);
    }
    ps.insert(ps.end(), ms.begin(), ms.end());
    ps.insert(ps.end(), vs.begin(), vs.end());
    expect_sums(ps, [&](Memory& memory) {
      float* parameters = memory.result(p);
      float* means = memory.result(m);
      float* squares = memory.result(v);
      adam_update(step, parameters, memory.input(g), means, squares, count, factors(memory, count));
    });
  }
}

TEST_P(OptimizerKernels, SgdFollowsTheFormula) {
  const float rate = 0.1f;
  for (const float momentum : {0.0f, 0.9f}) {
    for (int count = 0; count <= kMostElements; ++count) {
      const auto p = draw(count, 5), g = draw(count, 6), velocity = draw(count, 7);
      const auto factor = factor_values(count);
      std::vector<Sum> ps, vs;
      for (int i = 0; i < count; ++i) {
        Sum speed(static_cast<double>(momentum) * velocity[i]), next(p[i]);
        speed.add(g[i]);
        next.add(-rate * factor[i] * speed.value, rate * std::abs(factor[i]) * speed.size);
        ps.push_back(next);
        vs.push_back(speed);
      }
      ps.insert(ps.end(), vs.begin(), vs.end());
      expect_sums(ps, [&](Memory& memory) {
        float* parameters = memory.result(p);
        float* speeds = memory.result(velocity);
        sgd_update(rate, momentum, parameters, memory.input(g), speeds, count, factors(memory, count));
      });
    }
  }
}

// An element's update must not depend on where in the array it stands: tails go through other code than whole groups.
TEST(OptimizerElements, AreIndependentOfTheirPlace) {
  const AdamStep step{0.9f, 0.999f, 0.02f, 3.5f, 1e-8f};
  const auto p = draw(kMostElements, 8), g = draw(kMostElements, 9);
  auto together = p;
  std::vector<float> m(p.size()), v(p.size());
  adam_update(step, together.data(), g.data(), m.data(), v.data(), p.size());
  for (size_t i = 0; i < p.size(); ++i) {
    float alone = p[i], mean = 0, square = 0;
    adam_update(step, &alone, &g[i], &mean, &square, 1);
    EXPECT_EQ(alone, together[i]) << i;
    EXPECT_EQ(mean, m[i]) << i;
    EXPECT_EQ(square, v[i]) << i;
  }
}

// A gradient that stays zero lets the means fade through the denormal numbers; every target must fade alike.
TEST(OptimizerElements, FadeTheSameEverywhere) {
  const AdamStep step{0.9f, 0.999f, 1e-3f, 1.0f, 1e-8f};
  const auto start = draw(kMostElements, 10);
  for (const bool flush : {false, true}) {
    const auto end = floats_everywhere([&](Memory& memory) {
      std::unique_ptr<FlushDenormals> guard = flush ? std::make_unique<FlushDenormals>() : nullptr;
      const float* g = memory.input(std::vector<float>(start.size()));
      float* p = memory.result(start);
      float* m = memory.result(start);
      float* v = memory.result(std::vector<float>(start.size(), 1e-36f));
      for (int t = 0; t < 1200; ++t) adam_update(step, p, g, m, v, start.size());
    });
    for (size_t i = 0; i < start.size(); ++i) {
      EXPECT_TRUE(std::isfinite(end[i]));
      EXPECT_LT(std::abs(end[start.size() + i]), 1e-37);
    }
  }
}

}  // namespace
}  // namespace atto
