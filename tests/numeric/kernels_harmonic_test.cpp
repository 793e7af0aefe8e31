// The harmonic unembedding, probabilities ∝ 1/distance^power, against a scalar reference in double.
#include <gtest/gtest.h>

#include <algorithm>

#include "numeric/kernel_testing.h"
#include "numeric/kernels.h"

namespace atto {
namespace {

constexpr float kScale = 0.03f;

struct Batch {
  int vocab, width, n;
  float power = 2.5f;
  std::vector<float> u = draw(vocab * width, 1), o = draw(width * n, 2);
  std::vector<int32_t> targets = draw_ids(n, vocab, 3);
  std::vector<float> weights = alternating(n);

  // Real, half and padding samples.
  static std::vector<float> alternating(int n) {
    std::vector<float> weights(static_cast<size_t>(n));
    for (int b = 0; b < n; ++b) weights[b] = b % 5 == 3 ? 0.0f : b % 7 == 2 ? 0.5f : 1.0f;
    return weights;
  }
  std::vector<double> table() const { return {u.begin(), u.end()}; }
  std::vector<double> sample(int lane) const {
    std::vector<double> one;
    for (int f = 0; f < width; ++f) one.push_back(o[f * n + lane]);
    return one;
  }
};

struct Logits {
  std::vector<double> e, square;  // e^(logit - max), ‖o - u_v‖² + ε
  double total = 0, loss = 0, doubt = 0;
  bool correct = false;
};
// u[V][D] and o[D] of one sample.
Logits predict(double power, const std::vector<double>& u, const std::vector<double>& o, int target) {
  const int width = static_cast<int>(o.size()), vocab = static_cast<int>(u.size()) / width;
  Logits r;
  double size = 0;
  for (int v = 0; v < vocab; ++v) {
    double square = kCoincident;
    for (int f = 0; f < width; ++f) square += (o[f] - u[v * width + f]) * (o[f] - u[v * width + f]);
    r.square.push_back(square);
    r.e.push_back(-0.5 * power * std::log(square));
    size = std::max(size, std::abs(r.e.back()) + power);  // ln of a number near 1 has the error of the number
  }
  const double highest = *std::max_element(r.e.begin(), r.e.end()), answer = r.e[target];
  for (double& e : r.e) r.total += e = std::exp(e - highest);
  r.loss = std::log(r.total) - (answer - highest);
  r.correct = answer == highest;
  r.doubt = 1 + 2 * size;
  return r;
}

struct Forward {
  std::vector<float> softmax, total;
  LossSums sums;
};
Forward run_forward(const Batch& batch) {
  Forward result;
  result.softmax.resize(static_cast<size_t>(batch.vocab * batch.n));
  result.total.resize(static_cast<size_t>(batch.n));
  harmonic_loss_forward(batch.power, batch.u.data(), batch.vocab, batch.width, batch.o.data(), batch.targets.data(),
                        batch.weights.data(), result.softmax.data(), result.total.data(), result.sums, batch.n);
  return result;
}

// dU[V][D][lane] and do[D][n] of the kernel pair.
std::vector<float> run_backward(const Batch& batch, const std::vector<float>& du_start) {
  const Forward forward = run_forward(batch);
  return floats_everywhere([&](Memory& memory) {
    float* du = memory.result(du_start);
    float* d_o = memory.result(batch.width * batch.n);
    harmonic_loss_backward(batch.power, memory.input(batch.u), batch.vocab, batch.width, memory.input(batch.o),
                           memory.input(batch.targets), memory.input(batch.weights), kScale,
                           memory.scratch(forward.softmax), memory.input(forward.total), du, d_o, batch.n);
  });
}

class HarmonicKernels : public testing::TestWithParam<int> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int vocab : {1, 3, 33})
      for (const int n : {0, 16, 64, 80}) {
        SCOPED_TRACE("vocabulary " + std::to_string(vocab) + ", lanes " + std::to_string(n));
        check(Batch{vocab, GetParam(), n});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Width, HarmonicKernels, testing::Values(1, 2, 3, 4, 10, 17));

TEST_P(HarmonicKernels, ForwardIsCrossEntropy) {
  for_shapes([](const Batch& batch) {
    const int n = batch.n, vocab = batch.vocab;
    std::vector<Sum> expected(vocab * n + n);
    Sum loss(2.0), correct(3.0);  // the kernel adds to what the sums hold
    for (int b = 0; b < n; ++b) {
      const Logits r = predict(batch.power, batch.table(), batch.sample(b), batch.targets[b]);
      for (int v = 0; v < vocab; ++v) expected[v * n + b].add(r.e[v], r.e[v] * r.doubt);
      expected[vocab * n + b].add(r.total, r.total * r.doubt);
      loss.add(batch.weights[b] * r.loss, batch.weights[b] * r.doubt);
      correct.add(batch.weights[b] * r.correct);
    }
    expect_sums(expected, [&](Memory& memory) {
      float* softmax = memory.result(vocab * n);
      LossSums sums{2.0, 3.0};
      harmonic_loss_forward(batch.power, memory.input(batch.u), vocab, batch.width, memory.input(batch.o),
                            memory.input(batch.targets), memory.input(batch.weights), softmax, memory.result(n), sums,
                            n);
      EXPECT_NEAR(sums.loss, loss.value, 1e-6 * loss.size);
      EXPECT_EQ(sums.correct, correct.value);  // multiples of a half: exact
    });
  });
}

TEST_P(HarmonicKernels, BackwardFollowsTheFormula) {
  for_shapes([](const Batch& batch) {
    const int n = batch.n, vocab = batch.vocab, width = batch.width;
    const std::vector<double> u = batch.table();
    const auto start = draw(vocab * width * kLaneGroup, 4);
    std::vector<Sum> du, d_o(width * n);
    for (const float value : start) du.emplace_back(value);
    for (int b = 0; b < n; ++b) {
      const std::vector<double> o = batch.sample(b);
      const Logits r = predict(batch.power, u, o, batch.targets[b]);
      const double weight = static_cast<double>(batch.weights[b]) * kScale;
      for (int v = 0; v < vocab; ++v) {
        const double softmax = r.e[v] / r.total, answer = v == batch.targets[b];
        const double pull = -batch.power * weight * (softmax - answer) / r.square[v];
        const double size = batch.power * weight * (softmax * r.doubt + answer) / r.square[v];
        for (int f = 0; f < width; ++f) {
          const double apart = o[f] - u[v * width + f];
          d_o[f * n + b].add(pull * apart, size * std::abs(apart));
          du[(v * width + f) * kLaneGroup + b % kLaneGroup].add(-pull * apart, size * std::abs(apart));
        }
      }
    }
    du.insert(du.end(), d_o.begin(), d_o.end());
    const std::vector<float> actual = run_backward(batch, start);
    ASSERT_EQ(actual.size(), du.size());
    for (size_t i = 0; i < du.size(); ++i) ASSERT_NEAR(actual[i], du[i].value, 1e-6 * du[i].size) << i;
  });
}

TEST_P(HarmonicKernels, BackwardIsTheSlopeOfForward) {
  Batch batch{7, GetParam(), 32};
  for (float& value : batch.o) value += value < 0 ? -1.5f : 1.5f;  // near a row central differences say nothing
  std::vector<double> u = batch.table();
  std::vector<std::vector<double>> o;
  for (int b = 0; b < batch.n; ++b) o.push_back(batch.sample(b));
  const auto loss_of = [&](int b) {
    return kScale * batch.weights[b] * predict(batch.power, u, o[b], batch.targets[b]).loss;
  };
  const auto loss = [&] {
    double sum = 0;
    for (int b = 0; b < batch.n; ++b) sum += loss_of(b);
    return sum;
  };
  const std::vector<float> actual = run_backward(batch, std::vector<float>(u.size() * kLaneGroup));
  for (size_t i = 0; i < u.size(); ++i) {
    double du = 0;
    for (int lane = 0; lane < kLaneGroup; ++lane) du += actual[i * kLaneGroup + static_cast<size_t>(lane)];
    ASSERT_NEAR(du, slope(u[i], loss), 1e-6) << "U entry " << i;
  }
  for (int f = 0; f < batch.width; ++f)
    for (int b = 0; b < batch.n; ++b) {
      const double expected = slope(o[b][f], [&] { return loss_of(b); });
      ASSERT_NEAR(actual[u.size() * kLaneGroup + static_cast<size_t>(f * batch.n + b)], expected, 1e-7);
    }
}

TEST_P(HarmonicKernels, PaddingAddsNothing) {
  Batch batch{10, GetParam(), 48};
  std::fill(batch.weights.begin(), batch.weights.end(), 0.0f);
  const Forward forward = run_forward(batch);
  EXPECT_EQ(forward.sums.loss, 0);
  EXPECT_EQ(forward.sums.correct, 0);
  const auto start = draw(batch.vocab * batch.width * kLaneGroup, 5);
  const std::vector<float> actual = run_backward(batch, start);
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], i < start.size() ? start[i] : 0.0f) << i;
}

// Every sample stands on row 2, which half of them must answer and half must not.
TEST_P(HarmonicKernels, CoincidentPointsStayFinite) {
  Batch batch{5, GetParam(), 16};
  for (int f = 0; f < batch.width; ++f) std::fill_n(batch.o.begin() + f * 16, 16, batch.u[2 * batch.width + f]);
  for (int b = 0; b < 16; ++b) {
    batch.targets[b] = b % 2 == 0 ? 2 : 4;
    batch.weights[b] = 1;
  }
  for (const float power : {1.0f, 2.0f, 50.0f}) {
    SCOPED_TRACE("power " + std::to_string(power));
    batch.power = power;
    double loss = 0;
    for (int b = 0; b < 16; ++b) loss += predict(power, batch.table(), batch.sample(b), batch.targets[b]).loss;
    const Forward forward = run_forward(batch);
    EXPECT_NEAR(forward.sums.loss, loss, 1e-5 * loss);
    EXPECT_EQ(forward.sums.correct, 8);
    const std::vector<float> actual = run_backward(batch, std::vector<float>(5 * batch.width * kLaneGroup));
    for (const float value : actual) ASSERT_TRUE(std::isfinite(value));
    for (int f = 0; f < batch.width; ++f)
      for (int lane = 0; lane < 16; ++lane)
        EXPECT_EQ(actual[(2 * batch.width + f) * kLaneGroup + lane], 0) << "no slope at the coincident row";
  }
}

// Distances of 1e4, and logits of ±1e4 (a power of 2000 at distances of e^±10 would overflow a float if it were
// formed).
TEST_P(HarmonicKernels, ExtremeLogitsStayFinite) {
  Batch batch{3, GetParam(), 16};
  std::fill(batch.weights.begin(), batch.weights.end(), 1.0f);
  for (const auto& [away, power] : {std::pair(1e4f, 2.0f), {1e4f, 1000.0f}, {0.0f, 1500.0f}}) {
    SCOPED_TRACE("distance " + std::to_string(away) + ", power " + std::to_string(power));
    batch.power = power;
    std::fill(batch.o.begin(), batch.o.end(), 0.0f);
    std::fill(batch.u.begin(), batch.u.end(), 0.0f);
    batch.u[0] = away;
    batch.u[static_cast<size_t>(batch.width)] = -1.0f;
    batch.u[2 * static_cast<size_t>(batch.width)] = 2 * away;
    double loss = 0;
    for (int b = 0; b < 16; ++b) loss += predict(power, batch.table(), batch.sample(b), batch.targets[b]).loss;
    EXPECT_NEAR(run_forward(batch).sums.loss, loss, 1e-5 * (1 + loss));
    for (const float value : run_backward(batch, std::vector<float>(3 * batch.width * kLaneGroup)))
      ASSERT_TRUE(std::isfinite(value));
  }
}

// A network that has begun to break must not report a finite loss: divergence is found by it.
TEST(HarmonicExtremes, BrokenLogitsBreakTheLoss) {
  const RestoreTarget restore;
  for (const std::string& target : supported_targets()) {
    pin_target(target);
    for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      for (int v = 0; v < 5; ++v) {
        Batch batch{5, 1, 16};
        batch.u[v] = broken;
        EXPECT_FALSE(std::isfinite(run_forward(batch).sums.loss)) << target << ", row " << v << " is " << broken;
      }
    }
  }
}

}  // namespace
}  // namespace atto
