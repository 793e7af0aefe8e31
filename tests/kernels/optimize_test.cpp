// Optimizer updates against the textbook formulas in double, for every number of elements.
#include <gtest/gtest.h>

#include <array>
#include <utility>

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

// Without weight decay, with a penalty in the gradient, with a share that is taken away.
constexpr std::array<std::pair<float, float>, 3> kDecays{{{0, 0}, {0.3f, 0}, {0, 0.02f}}};

TEST_P(OptimizerKernels, AdamFollowsTheFormula) {
  for (const auto& [penalty, shrink] : kDecays) {
    const AdamStep step{0.9f, 0.999f, 0.02f, 3.5f, 1e-8f, penalty, shrink};
    const double rest1 = 1.0f - step.beta1, rest2 = 1.0f - step.beta2;
    for (int count = 0; count <= kMostElements; ++count) {
      const auto p = draw(count, 1), g = draw(count, 2), m = draw(count, 3);
      auto v = draw(count, 4);
      for (float& value : v) value = std::abs(value);
      const auto factor = factor_values(count);
      std::vector<Sum> ps, ms, vs;
      for (int i = 0; i < count; ++i) {
        const double gradient = g[i] + static_cast<double>(penalty) * p[i];
        const double size = std::abs(g[i]) + std::abs(static_cast<double>(penalty) * p[i]);
        Sum mean(static_cast<double>(step.beta1) * m[i]), square(static_cast<double>(step.beta2) * v[i]), next(p[i]);
        mean.add(rest1 * gradient, rest1 * size);
        square.add(rest2 * gradient * gradient, rest2 * size * size);
        const double pace = step.rate * factor[i] / (std::sqrt(square.value) * step.root_scale + step.epsilon);
        next.add(-pace * mean.value, std::abs(pace) * mean.size);
        next.add(-shrink * factor[i] * p[i]);
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
}

TEST_P(OptimizerKernels, SgdFollowsTheFormula) {
  const double rate = 0.1f;
  for (const SgdStep& step : {SgdStep{0.1f, 0.0f}, SgdStep{0.1f, 0.9f}, SgdStep{0.1f, 0.9f, 0.3f},
                              SgdStep{0.1f, 0.9f, 0.0f, true}, SgdStep{0.1f, 0.9f, 0.3f, true}}) {
    for (int count = 0; count <= kMostElements; ++count) {
      const auto p = draw(count, 5), g = draw(count, 6), velocity = draw(count, 7);
      const auto factor = factor_values(count);
      std::vector<Sum> ps, vs;
      for (int i = 0; i < count; ++i) {
        Sum gradient(g[i]), next(p[i]);
        gradient.add(static_cast<double>(step.penalty) * p[i]);
        Sum speed(static_cast<double>(step.momentum) * velocity[i]);
        speed.add(gradient.value, gradient.size);
        Sum move = speed;
        if (step.nesterov) {
          move = gradient;
          move.add(step.momentum * speed.value, step.momentum * speed.size);
        }
        next.add(-rate * factor[i] * move.value, rate * std::abs(factor[i]) * move.size);
        ps.push_back(next);
        vs.push_back(speed);
      }
      ps.insert(ps.end(), vs.begin(), vs.end());
      expect_sums(ps, [&](Memory& memory) {
        float* parameters = memory.result(p);
        float* speeds = memory.result(velocity);
        sgd_update(step, parameters, memory.input(g), speeds, count, factors(memory, count));
      });
    }
  }
}

TEST_P(OptimizerKernels, SignsFollowTheFormula) {
  for (const SignStep& step : {SignStep{0, 0, 0.1f}, SignStep{0.9f, 0.9f, 0.1f}, SignStep{0.9f, 0.99f, 0.1f, 0.02f}}) {
    for (int count = 0; count <= kMostElements; ++count) {
      const auto p = draw(count, 12);
      auto g = draw(count, 13), m = draw(count, 14);
      for (int i = 0; i < count; i += 5) g[i] = m[i] = 0;  // stays where it is
      const auto factor = factor_values(count);
      std::vector<Sum> ps, ms;
      for (int i = 0; i < count; ++i) {
        const double kept1 = step.beta1, new1 = 1.0f - step.beta1, kept2 = step.beta2, new2 = 1.0f - step.beta2;
        const double followed = kept1 * m[i] + new1 * g[i];
        Sum mean(kept2 * m[i]), next(p[i]);
        mean.add(new2 * g[i]);
        next.add(-factor[i] * step.rate * ((followed > 0) - (followed < 0)));
        next.add(-factor[i] * step.shrink * p[i]);
        ps.push_back(next);
        ms.push_back(mean);
      }
      ps.insert(ps.end(), ms.begin(), ms.end());
      expect_sums(ps, [&](Memory& memory) {
        float* parameters = memory.result(p);
        float* means = memory.result(m);
        sign_update(step, parameters, memory.input(g), means, count, factors(memory, count));
      });
    }
  }
}

// Around the pieces of 64 groups in which it is taken.
TEST(SumOfSquares, IsTheSumEverywhere) {
  for (const int count : {0, 1, 15, 16, 17, 1023, 1024, 1025, 5000}) {
    const auto x = draw(count, 15);
    double expected = 0;
    for (const float one : x) expected += static_cast<double>(one) * static_cast<double>(one);
    double first = -1;
    const auto ignored = floats_everywhere([&](Memory& memory) {
      const double sum = sum_of_squares(memory.input(x), x.size());
      if (first < 0) first = sum;
      EXPECT_EQ(sum, first) << count;
    });
    EXPECT_TRUE(ignored.empty());
    EXPECT_NEAR(first, expected, 1e-6 * expected);
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
