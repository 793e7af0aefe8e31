// Unembedding, softmax and cross-entropy, linear and harmonic, against a scalar reference in double.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto::unembed_test {
namespace {

constexpr float kScale = 0.03f;

struct Batch {
  int vocab, width, n;
  float power = 0;  // of the harmonic logits; 0: linear
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

struct Prediction {
  std::vector<double> softmax;
  std::vector<double> square;  // ‖o - u_v‖² + ε
  double loss = 0;
  double doubt = 0;  // relative error of a softmax, in units of a rounding
  bool correct = false;
};
// u[V][D] and o[D] of one sample.
Prediction predict(double power, const std::vector<double>& u, const std::vector<double>& o, int target) {
  const int width = static_cast<int>(o.size()), vocab = static_cast<int>(u.size()) / width;
  Prediction r;
  std::vector<double>& e = r.softmax;
  double size = 0;
  for (int v = 0; v < vocab; ++v) {
    Sum product;
    double square = kCoincident;
    for (int f = 0; f < width; ++f) {
      product.add(u[v * width + f] * o[f]);
      square += (o[f] - u[v * width + f]) * (o[f] - u[v * width + f]);
    }
    r.square.push_back(square);
    e.push_back(power > 0 ? -0.5 * power * std::log(square) : product.value);
    // ln of a number near 1 has the error of the number
    size = std::max(size, power > 0 ? std::abs(e.back()) + power : product.size);
  }
  const double highest = *std::max_element(e.begin(), e.end()), answer = e[target];
  double total = 0;
  for (double& value : e) total += value = std::exp(value - highest);
  for (double& value : e) value /= total;
  r.loss = std::log(total) - (answer - highest);
  r.correct = answer == highest;
  r.doubt = 1 + 2 * size;
  return r;
}

// dlogit_v/do = -dlogit_v/du_v of the harmonic logits over (o - u_v); 1 for the linear ones, whose slopes are u_v and
// o.
double pull(const Batch& batch, const Prediction& r, int v) {
  return batch.power > 0 ? -static_cast<double>(batch.power) / r.square[v] : 1;
}

// What one call leaves, the same on every target: dU[V][D][lane], do[D][n].
struct Result {
  LossSums sums;
  std::vector<float> du, d_o;
};
Result run(const Batch& batch, const std::vector<float>& du_start, bool with_gradient = true, bool counted = true) {
  const Unembedding shape{nullptr, batch.vocab, batch.width, batch.power};
  Result result;
  result.du = floats_everywhere([&](Memory& memory) {
    Unembedding table = shape;
    table.u = memory.input(batch.u);
    const LossGradient gradient{kScale, memory.result(du_start),
                                memory.result(std::vector<float>(static_cast<size_t>(batch.width * batch.n)))};
    float* loss = memory.result(2);
    LossSums sums{2.0, 3.0, counted};  // the kernel adds to what the sums hold
    unembed_loss(table, memory.input(batch.o), memory.input(batch.targets), memory.input(batch.weights),
                 {memory.scratch(batch.vocab * std::min(batch.n, kLossLanes)), memory.scratch(batch.width * batch.n)},
                 sums, with_gradient ? &gradient : nullptr, batch.n);
    result.sums = {sums.loss - 2.0, sums.correct - 3.0};
    loss[0] = static_cast<float>(sums.loss);
    loss[1] = counted ? static_cast<float>(sums.correct) : 0.0f;
  });
  const auto rows = result.du.begin() + static_cast<std::ptrdiff_t>(du_start.size());
  result.d_o.assign(rows, result.du.end() - 2);
  result.du.resize(du_start.size());
  return result;
}
Result run(const Batch& batch) {
  return run(batch, std::vector<float>(static_cast<size_t>(batch.vocab * batch.width * kLanes)));
}

double total_loss(const Batch& batch) {
  double loss = 0;
  for (int b = 0; b < batch.n; ++b)
    loss += batch.weights[b] * predict(batch.power, batch.table(), batch.sample(b), batch.targets[b]).loss;
  return loss;
}

void expect_near(const std::vector<float>& actual, const std::vector<Sum>& expected, const char* what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i].value, 1e-6 * expected[i].size) << what << " entry " << i;
}

class UnembedKernels : public testing::TestWithParam<std::tuple<int, float>> {
 protected:
  Batch make(int vocab, int n) const { return Batch{vocab, std::get<0>(GetParam()), n, std::get<1>(GetParam())}; }

  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int vocab : {1, 2, 3, 10, 33})
      for (const int n : kLaneCounts) {
        SCOPED_TRACE("vocabulary " + std::to_string(vocab) + ", lanes " + std::to_string(n));
        check(make(vocab, n));
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Linear, UnembedKernels, testing::Combine(testing::ValuesIn(kWidths), testing::Values(0.0f)));
INSTANTIATE_TEST_SUITE_P(Harmonic, UnembedKernels,
                         testing::Combine(testing::Values(1, 2, 3, 4, 10, 17), testing::Values(2.5f)));

TEST_P(UnembedKernels, LossIsCrossEntropy) {
  for_shapes([](const Batch& batch) {
    Sum loss, correct;
    for (int b = 0; b < batch.n; ++b) {
      const Prediction r = predict(batch.power, batch.table(), batch.sample(b), batch.targets[b]);
      loss.add(batch.weights[b] * r.loss, batch.weights[b] * r.doubt);
      correct.add(batch.weights[b] * r.correct);
    }
    const auto start = draw(batch.vocab * batch.width * kLanes, 6);
    const Result result = run(batch, start, false);
    EXPECT_NEAR(result.sums.loss, loss.value, 1e-6 * loss.size);
    EXPECT_EQ(result.sums.correct, correct.value);  // multiples of a half: exact
    EXPECT_EQ(result.du, start) << "no gradient was asked for";
  });
}

TEST_P(UnembedKernels, GradientFollowsTheFormula) {
  for_shapes([](const Batch& batch) {
    const int n = batch.n, vocab = batch.vocab, width = batch.width;
    const std::vector<double> u = batch.table();
    const auto start = draw(vocab * width * kLanes, 4);
    std::vector<Sum> du, d_o(width * n);
    for (const float value : start) du.emplace_back(value);
    for (int b = 0; b < n; ++b) {
      const std::vector<double> o = batch.sample(b);
      const Prediction r = predict(batch.power, u, o, batch.targets[b]);
      for (int v = 0; v < vocab; ++v) {
        const double weight = static_cast<double>(batch.weights[b]) * kScale * pull(batch, r, v);
        const double answer = v == batch.targets[b];
        const double slope = weight * (r.softmax[v] - answer);
        const double size = std::abs(weight) * (r.softmax[v] * r.doubt + answer);
        for (int f = 0; f < width; ++f) {
          const double apart = o[f] - u[v * width + f];
          const double through_u = batch.power > 0 ? -apart : o[f],
                       through_o = batch.power > 0 ? apart : u[v * width + f];
          du[(v * width + f) * kLanes + b % kLanes].add(slope * through_u, size * std::abs(through_u));
          d_o[f * n + b].add(slope * through_o, size * std::abs(through_o));
        }
      }
    }
    const Result result = run(batch, start);
    expect_near(result.du, du, "dU");
    expect_near(result.d_o, d_o, "do");
  });
}

TEST_P(UnembedKernels, GradientIsTheSlopeOfTheLoss) {
  Batch batch = make(7, 32);
  if (batch.power > 0)  // near a row central differences say nothing
    for (float& value : batch.o) value += value < 0 ? -1.5f : 1.5f;
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
  const Result result = run(batch);
  for (size_t i = 0; i < u.size(); ++i) {
    double du = 0;
    for (int lane = 0; lane < kLanes; ++lane) du += result.du[i * kLanes + static_cast<size_t>(lane)];
    ASSERT_NEAR(du, slope(u[i], loss), 1e-6) << "U entry " << i;
  }
  for (int f = 0; f < batch.width; ++f)
    for (int b = 0; b < batch.n; ++b)
      ASSERT_NEAR(result.d_o[f * batch.n + b], slope(o[b][f], [&] { return loss_of(b); }), 1e-7);
}

TEST_P(UnembedKernels, WhatIsNotCountedChangesNothingElse) {
  for_shapes([](const Batch& batch) {
    const auto start = draw(batch.vocab * batch.width * kLanes, 5);
    const Result counted = run(batch, start), not_counted = run(batch, start, true, false);
    EXPECT_EQ(not_counted.sums.loss, counted.sums.loss);
    EXPECT_EQ(not_counted.du, counted.du);
    EXPECT_EQ(not_counted.d_o, counted.d_o);
  });
}

TEST_P(UnembedKernels, PaddingAddsNothing) {
  Batch batch = make(10, 48);
  std::fill(batch.weights.begin(), batch.weights.end(), 0.0f);
  const auto start = draw(batch.vocab * batch.width * kLanes, 5);
  const Result result = run(batch, start);
  EXPECT_EQ(result.sums.loss, 0);
  EXPECT_EQ(result.sums.correct, 0);
  EXPECT_EQ(result.du, start);
  for (const float value : result.d_o) ASSERT_EQ(value, 0.0f);
}

// A network that has begun to break must not report a finite loss: divergence is found by it.
TEST_P(UnembedKernels, BrokenLogitsBreakTheLoss) {
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (int v = 0; v < 5; ++v) {
      Batch batch = make(5, 16);
      std::fill(batch.o.begin(), batch.o.end(), 1.0f);
      std::fill(batch.targets.begin(), batch.targets.end(), 2);
      batch.u[v * batch.width] = broken;
      const RestoreTarget restore;
      for (const std::string& target : supported_targets()) {
        pin_target(target);
        std::vector<float> chunk(5 * 16), answers(static_cast<size_t>(batch.width * 16));
        LossSums sums;
        unembed_loss({batch.u.data(), 5, batch.width, batch.power}, batch.o.data(), batch.targets.data(),
                     batch.weights.data(), {chunk.data(), answers.data()}, sums, nullptr, 16);
        EXPECT_FALSE(std::isfinite(sums.loss)) << target << ", row " << v << " is " << broken;
      }
    }
  }
}

// Logits of ±1e4 in width 1: sample b answers token b % 4 among logits {1e4, -1e4, 0, 1e4}.
TEST(LinearExtremes, LargeLogitsAndTiesStayRight) {
  Batch batch{4, 1, 16};
  batch.u = {1, -1, 0, 1};
  std::fill(batch.o.begin(), batch.o.end(), 1e4f);
  const double losses[4] = {std::log(2.0), 2e4 + std::log(2.0), 1e4 + std::log(2.0), std::log(2.0)};
  for (int answer = 0; answer < 4; ++answer) {
    batch.weights.assign(16, 0.0f);
    batch.weights[answer] = 1;
    batch.targets[answer] = answer;
    const Result result = run(batch);
    EXPECT_NEAR(result.sums.loss, losses[answer], 1e-6 * losses[answer]);
    EXPECT_EQ(result.sums.correct, answer == 0 || answer == 3) << "a tie for the largest logit is the answer's too";
    const double softmax[4] = {0.5, 0, 0, 0.5};
    double d_o = 0;
    for (int v = 0; v < 4; ++v) {
      const double dlogit = kScale * (softmax[v] - (v == answer));
      EXPECT_NEAR(result.du[v * kLanes + answer], dlogit * 1e4, 1e-2 * kScale);
      d_o += dlogit * batch.u[v];
    }
    EXPECT_NEAR(result.d_o[answer], d_o, 1e-6);
  }
}

// Narrow networks shift logits by the answer's, unless powers turn out too large: then by the largest. The answers of
// every other group are still probable enough (loss 60) or not (85: finite sums, 1000: infinite ones), and the order of
// all sums must be the same on every target (run() checks), whatever groups go together there.
void expect_improbable_answers_right(int width, int n, float loss_of_others) {
  Batch batch{6, width, n};
  std::fill(batch.u.begin(), batch.u.end(), 0.0f);
  for (int v = 0; v < 6; ++v) batch.u[v * width] = static_cast<float>(v) / 5;
  std::fill(batch.o.begin(), batch.o.end(), 0.0f);
  for (int b = 0; b < n; ++b) {
    batch.weights[b] = 1;
    batch.targets[b] = 0;  // the least probable
    batch.o[b] = b / kLanes % 2 == 0 ? 5.0f : loss_of_others;
  }
  const double loss = total_loss(batch);
  const Result result = run(batch);
  EXPECT_NEAR(result.sums.loss, loss, 1e-6 * loss) << "width " << width << ", lanes " << n;
  EXPECT_EQ(result.sums.correct, 0);
  std::vector<Sum> du(static_cast<size_t>(6 * width * kLanes));
  for (int b = 0; b < n; ++b) {
    const Prediction expected = predict(0, batch.table(), batch.sample(b), 0);
    double d_o = 0;
    for (int v = 0; v < 6; ++v) {
      const double dlogit = kScale * (expected.softmax[v] - (v == 0));
      d_o += dlogit * batch.u[v * width];
      du[static_cast<size_t>(v * width * kLanes + b % kLanes)].add(dlogit * batch.o[b]);
    }
    EXPECT_NEAR(result.d_o[b], d_o, 1e-6 * kScale) << "lane " << b;
  }
  for (size_t i = 0; i < du.size(); ++i) ASSERT_NEAR(result.du[i], du[i].value, 1e-5 * (du[i].size + kScale));
}

TEST(LinearExtremes, ImprobableAnswersTakeAnotherWay) {
  for (const int width : {1, 2, 3, 4, 5})
    for (const int n : {16, 32, 48, 64, 128})
      for (const float loss : {60.0f, 85.0f, 1000.0f}) expect_improbable_answers_right(width, n, loss);
}

class HarmonicExtremes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Width, HarmonicExtremes, testing::Values(1, 2, 3, 10));

void expect_finite(const Result& result) {
  for (const float value : result.du) ASSERT_TRUE(std::isfinite(value));
  for (const float value : result.d_o) ASSERT_TRUE(std::isfinite(value));
}

// Every sample stands on row 2, which half of them must answer and half must not.
TEST_P(HarmonicExtremes, CoincidentPointsStayFinite) {
  Batch batch{5, GetParam(), 16};
  for (int f = 0; f < batch.width; ++f) std::fill_n(batch.o.begin() + f * 16, 16, batch.u[2 * batch.width + f]);
  for (int b = 0; b < 16; ++b) {
    batch.targets[b] = b % 2 == 0 ? 2 : 4;
    batch.weights[b] = 1;
  }
  for (const float power : {1.0f, 2.0f, 50.0f}) {
    SCOPED_TRACE("power " + std::to_string(power));
    batch.power = power;
    const double loss = total_loss(batch);
    const Result result = run(batch);
    EXPECT_NEAR(result.sums.loss, loss, 1e-5 * loss);
    EXPECT_EQ(result.sums.correct, 8);
    expect_finite(result);
    for (int f = 0; f < batch.width; ++f)
      for (int lane = 0; lane < 16; ++lane)
        EXPECT_EQ(result.du[(2 * batch.width + f) * kLanes + lane], 0) << "no slope at the coincident row";
  }
}

// Distances of 1e4, and logits of ±1e4 (a power of 2000 at distances of e^±10 would overflow a float if it were
// formed).
TEST_P(HarmonicExtremes, ExtremeLogitsStayFinite) {
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
    const double loss = total_loss(batch);
    const Result result = run(batch);
    EXPECT_NEAR(result.sums.loss, loss, 1e-5 * (1 + loss));
    expect_finite(result);
  }
}

}  // namespace
}  // namespace atto::unembed_test
