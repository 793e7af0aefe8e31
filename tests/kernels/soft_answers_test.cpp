// Cross-entropy to distributions: equal to the sum of the losses of all tokens, each times its probability.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"
#include "places.h"

namespace atto::soft_answers_test {
namespace {

constexpr float kScale = 0.03f;
constexpr int kRows = 5;

struct Batch {
  int vocab, width, n;
  float power = 0;
  std::vector<float> u = draw(vocab * width, 1), o = draw(width * n, 2);
  std::vector<int32_t> targets = draw_ids(n, kRows, 3);
  std::vector<float> p = distributions(vocab);
  std::vector<float> weights = alternating(n);

  // [V][rows], of which the last row is one token for sure.
  static std::vector<float> distributions(int vocab) {
    std::vector<float> p = draw(vocab * kRows, 4);
    for (int row = 0; row < kRows; ++row) {
      float sum = 0;
      for (int v = 0; v < vocab; ++v) {
        float& one = p[v * kRows + row];
        one = row == kRows - 1 ? (v == vocab / 2 ? 1.0f : 0.0f) : v % 3 == row ? 0.0f : one + 1.0001f;
        sum += one;
      }
      if (sum == 0) sum = p[row] = 1;
      for (int v = 0; v < vocab; ++v) p[v * kRows + row] /= sum;
    }
    return p;
  }
  static std::vector<float> alternating(int n) {
    std::vector<float> weights(static_cast<size_t>(n));
    for (int b = 0; b < n; ++b) weights[b] = b % 5 == 3 ? 0.0f : b % 7 == 2 ? 0.5f : 1.0f;
    return weights;
  }
  double probability(int v, int b) const { return p[v * kRows + targets[b]]; }
};

// What hard answers give, token after token, each with its probability as the weight.
struct Truth {
  double loss = 0, correct = 0;
  std::vector<double> du, d_o;
};
Truth hard_answers(const Batch& batch) {
  Truth truth;
  const int entries = batch.vocab * batch.width * kLanes;
  truth.du.resize(static_cast<size_t>(entries));
  truth.d_o.resize(batch.o.size());
  std::vector<float> chunk(static_cast<size_t>(batch.vocab * kLossLanes)), answers(batch.o.size());
  for (int v = 0; v < batch.vocab; ++v) {
    std::vector<float> weights = batch.weights, du(static_cast<size_t>(entries)), d_o(batch.o.size());
    for (int b = 0; b < batch.n; ++b) weights[b] *= static_cast<float>(batch.probability(v, b));
    const std::vector<int32_t> targets(static_cast<size_t>(batch.n), v);
    const LossGradient gradient{kScale, du.data(), d_o.data()};
    LossSums sums;
    unembed_loss({batch.u.data(), batch.vocab, batch.width, batch.power}, batch.o.data(), targets.data(),
                 weights.data(), {chunk.data(), answers.data()}, sums, &gradient, batch.n);
    truth.loss += sums.loss;
    truth.correct += sums.correct;
    for (size_t i = 0; i < du.size(); ++i) truth.du[i] += du[i];
    for (size_t i = 0; i < d_o.size(); ++i) truth.d_o[i] += d_o[i];
  }
  return truth;
}

TEST(SoftAnswers, UnembeddingEqualsTheMeanOverTokens) {
  for (const float power : {0.0f, 2.5f}) {
    for (const int width : {1, 2, 3, 4, 7, 10}) {
      for (const int vocab : {1, 2, 9, 20}) {
        for (const int n : {16, 48}) {
          SCOPED_TRACE(std::to_string(width) + " wide, vocabulary " + std::to_string(vocab));
          const Batch batch{vocab, width, n, power};
          const Truth truth = hard_answers(batch);
          const size_t entries = static_cast<size_t>(vocab * width * kLanes);
          const auto found = floats_everywhere([&](Memory& memory) {
            const LossGradient gradient{kScale, memory.result(std::vector<float>(entries)),
                                        memory.result(std::vector<float>(batch.o.size()))};
            float* sums_out = memory.result(2);
            LossSums sums{2.0, 3.0, true};
            soft_unembed_loss({memory.input(batch.u), vocab, width, power}, memory.input(batch.o),
                              {memory.input(batch.p), kRows}, memory.input(batch.targets), memory.input(batch.weights),
                              memory.scratch(vocab * kLanes), sums, &gradient, n);
            sums_out[0] = static_cast<float>(sums.loss - 2);
            sums_out[1] = static_cast<float>(sums.correct - 3);
          });
          double scale = 1e-3;
          for (const double value : truth.du) scale = std::max(scale, std::abs(value));
          for (const double value : truth.d_o) scale = std::max(scale, std::abs(value));
          for (size_t i = 0; i < entries; ++i) ASSERT_NEAR(found[i], truth.du[i], 2e-5 * scale);
          for (size_t i = 0; i < batch.o.size(); ++i) ASSERT_NEAR(found[entries + i], truth.d_o[i], 2e-5 * scale);
          EXPECT_NEAR(found[entries + batch.o.size()], truth.loss, 3e-6 * (1 + truth.loss));
          EXPECT_NEAR(found.back(), truth.correct, 1e-5 * n);
        }
      }
    }
  }
}

TEST(SoftAnswers, LogitsInMemoryGiveTheSame) {
  for (const int n : {16, 64}) {
    const Batch batch{11, 4, n};
    std::vector<float> logits(static_cast<size_t>(11 * n));
    linear_forward(batch.u.data(), 11, 4, batch.o.data(), logits.data(), n);
    for (const bool in_place : {false, true}) {
      LossSums sums;
      std::vector<float> values = logits, slopes(logits.size());
      soft_cross_entropy(values.data(), {batch.p.data(), kRows}, batch.targets.data(), batch.weights.data(), 11, kScale,
                         in_place ? values.data() : slopes.data(), sums, n);
      const Truth truth = hard_answers(batch);
      EXPECT_NEAR(sums.loss, truth.loss, 3e-6 * truth.loss);
      EXPECT_NEAR(sums.correct, truth.correct, 1e-5 * n);
      std::vector<float> d_o(batch.o.size());
      transposed_forward(batch.u.data(), 11, 4, in_place ? values.data() : slopes.data(), d_o.data(), n, false);
      for (size_t i = 0; i < d_o.size(); ++i) ASSERT_NEAR(d_o[i], truth.d_o[i], 1e-6);
    }
  }
}

TEST(SoftAnswers, WithoutAGradientTheSumsAreTheSame) {
  const Batch batch{9, 3, 32};
  std::vector<float> rows(9 * kLanes), du(9 * 3 * kLanes), d_o(batch.o.size());
  const LossGradient gradient{kScale, du.data(), d_o.data()};
  LossSums with, without;
  for (const bool wanted : {true, false})
    soft_unembed_loss({batch.u.data(), 9, 3, 0}, batch.o.data(), {batch.p.data(), kRows}, batch.targets.data(),
                      batch.weights.data(), rows.data(), wanted ? with : without, wanted ? &gradient : nullptr, 32);
  EXPECT_EQ(with.loss, without.loss);
  EXPECT_EQ(with.correct, without.correct);
}

// PyTorch's loss and gradients, from autograd in double (tests/golden/make_soft_answers_golden.py).
TEST(SoftAnswers, AgreeWithPyTorch) {
  for (const std::string name : {"linear", "harmonic"}) {
    SCOPED_TRACE(name);
    const auto golden = nlohmann::json::parse(std::ifstream(in_source("tests/golden/soft_answers/" + name + ".json")));
    const int vocab = golden["vocab"], width = golden["width"], n = golden["samples"];
    const std::vector<float> u = golden["u"], weights = golden["weights"];
    const std::vector<double> rows = golden["o"], du = golden["du"], d_o = golden["do"], p = golden["p"];
    // Samples are the lanes here, and each has a distribution of its own.
    std::vector<float> o(rows.size()), turned(p.size());
    std::vector<int32_t> targets;
    for (int b = 0; b < n; ++b) {
      targets.push_back(b);
      for (int f = 0; f < width; ++f) o[f * n + b] = static_cast<float>(rows[b * width + f]);
      for (int v = 0; v < vocab; ++v) turned[v * n + b] = static_cast<float>(p[b * vocab + v]);
    }
    std::vector<float> lanes(static_cast<size_t>(vocab * width * kLanes)), slopes(o.size()),
        scratch(static_cast<size_t>(vocab * kLanes));
    const LossGradient gradient{1, lanes.data(), slopes.data()};
    LossSums sums;
    soft_unembed_loss({u.data(), vocab, width, golden["power"]}, o.data(), {turned.data(), n}, targets.data(),
                      weights.data(), scratch.data(), sums, &gradient, n);
    EXPECT_NEAR(sums.loss, golden["loss"].get<double>(), 1e-5);
    for (size_t i = 0; i < du.size(); ++i) {
      double sum = 0;
      for (size_t lane = 0; lane < kLanes; ++lane) sum += lanes[i * kLanes + lane];
      EXPECT_NEAR(sum, du[i], 2e-5);
    }
    for (int b = 0; b < n; ++b)
      for (int f = 0; f < width; ++f) EXPECT_NEAR(slopes[f * n + b], d_o[b * width + f], 1e-5);
  }
}

}  // namespace
}  // namespace atto::soft_answers_test
