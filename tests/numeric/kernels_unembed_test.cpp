// Unembedding, softmax and cross-entropy against a scalar reference in double.
#include <gtest/gtest.h>

#include <algorithm>

#include "numeric/kernel_testing.h"
#include "numeric/kernels.h"

namespace atto {
namespace {

constexpr float kScale = 0.03f;

struct Batch {
  int vocab, width, n;
  std::vector<float> u = draw(vocab * width, 1), o = draw(width * n, 2);
  std::vector<int32_t> targets = draw_ids(n, vocab, 3);
  std::vector<float> weights = alternating(n);

  // Real, half and padding samples.
  static std::vector<float> alternating(int n) {
    std::vector<float> weights(static_cast<size_t>(n));
    for (int b = 0; b < n; ++b) weights[b] = b % 5 == 3 ? 0.0f : b % 7 == 2 ? 0.5f : 1.0f;
    return weights;
  }
};

struct Logits {
  std::vector<double> e;  // e^(logit - max)
  double total = 0, loss = 0, doubt = 0;
  bool correct = false;
};
// u[V][D] and o[D] of one sample.
Logits predict(const std::vector<double>& u, const std::vector<double>& o, int target) {
  const int width = static_cast<int>(o.size()), vocab = static_cast<int>(u.size()) / width;
  Logits r;
  double size = 0;
  for (int v = 0; v < vocab; ++v) {
    Sum logit;
    for (int f = 0; f < width; ++f) logit.add(u[v * width + f] * o[f]);
    r.e.push_back(logit.value);
    size = std::max(size, logit.size);
  }
  const double highest = *std::max_element(r.e.begin(), r.e.end()), answer = r.e[target];
  for (double& e : r.e) r.total += e = std::exp(e - highest);
  r.loss = std::log(r.total) - (answer - highest);
  r.correct = answer == highest;
  r.doubt = 1 + 2 * size;
  return r;
}

std::vector<double> sample_of(const std::vector<float>& rows, int lane, int n) {
  std::vector<double> one;
  for (size_t i = static_cast<size_t>(lane); i < rows.size(); i += static_cast<size_t>(n)) one.push_back(rows[i]);
  return one;
}

struct Forward {
  std::vector<float> softmax, total;
  LossSums sums;
};
Forward run_forward(const Batch& batch) {
  Forward result;
  result.softmax.resize(static_cast<size_t>(batch.vocab * batch.n));
  result.total.resize(static_cast<size_t>(batch.n));
  unembed_loss_forward(batch.u.data(), batch.vocab, batch.width, batch.o.data(), batch.targets.data(),
                       batch.weights.data(), result.softmax.data(), result.total.data(), result.sums, batch.n);
  return result;
}

// dU[V][D][lane] and do[D][n] of the kernel pair.
std::vector<float> run_backward(const Batch& batch, const std::vector<float>& du_start) {
  const Forward forward = run_forward(batch);
  return floats_everywhere([&](Memory& memory) {
    float* du = memory.result(du_start);
    float* d_o = memory.result(batch.width * batch.n);
    unembed_loss_backward(memory.input(batch.u), batch.vocab, batch.width, memory.input(batch.o),
                          memory.input(batch.targets), memory.input(batch.weights), kScale,
                          memory.scratch(forward.softmax), memory.input(forward.total), du, d_o, batch.n);
  });
}

class UnembedKernels : public testing::TestWithParam<int> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int vocab : {1, 2, 3, 10, 33})
      for (const int n : kLanes) {
        SCOPED_TRACE("vocabulary " + std::to_string(vocab) + ", lanes " + std::to_string(n));
        check(Batch{vocab, GetParam(), n});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Width, UnembedKernels, testing::ValuesIn(kWidths));

TEST_P(UnembedKernels, ForwardIsCrossEntropy) {
  for_shapes([](const Batch& batch) {
    const int n = batch.n, vocab = batch.vocab;
    const std::vector<double> u(batch.u.begin(), batch.u.end());
    std::vector<Sum> expected(vocab * n + n);
    Sum loss(2.0), correct(3.0);  // the kernel adds to what the sums hold
    for (int b = 0; b < n; ++b) {
      const Logits r = predict(u, sample_of(batch.o, b, n), batch.targets[b]);
      for (int v = 0; v < vocab; ++v) expected[v * n + b].add(r.e[v], r.e[v] * r.doubt);
      expected[vocab * n + b].add(r.total, r.total * r.doubt);
      loss.add(batch.weights[b] * r.loss, batch.weights[b] * r.doubt);
      correct.add(batch.weights[b] * r.correct);
    }
    expect_sums(expected, [&](Memory& memory) {
      float* softmax = memory.result(vocab * n);
      LossSums sums{2.0, 3.0};
      unembed_loss_forward(memory.input(batch.u), vocab, batch.width, memory.input(batch.o),
                           memory.input(batch.targets), memory.input(batch.weights), softmax, memory.result(n), sums,
                           n);
      EXPECT_NEAR(sums.loss, loss.value, 1e-6 * loss.size);
      EXPECT_EQ(sums.correct, correct.value);  // multiples of a half: exact
    });
  });
}

TEST_P(UnembedKernels, BackwardFollowsTheFormula) {
  for_shapes([](const Batch& batch) {
    const int n = batch.n, vocab = batch.vocab, width = batch.width;
    const std::vector<double> u(batch.u.begin(), batch.u.end());
    const auto start = draw(vocab * width * kLaneGroup, 4);
    std::vector<Sum> du, d_o(width * n);
    for (const float value : start) du.emplace_back(value);
    for (int b = 0; b < n; ++b) {
      const std::vector<double> o = sample_of(batch.o, b, n);
      const Logits r = predict(u, o, batch.targets[b]);
      const double weight = static_cast<double>(batch.weights[b]) * kScale;
      for (int v = 0; v < vocab; ++v) {
        const double softmax = r.e[v] / r.total, answer = v == batch.targets[b];
        const double dlogit = weight * (softmax - answer), size = weight * (softmax * r.doubt + answer);
        for (int f = 0; f < width; ++f) {
          du[(v * width + f) * kLaneGroup + b % kLaneGroup].add(dlogit * o[f], size * std::abs(o[f]));
          d_o[f * n + b].add(dlogit * u[v * width + f], size * std::abs(u[v * width + f]));
        }
      }
    }
    du.insert(du.end(), d_o.begin(), d_o.end());
    const std::vector<float> actual = run_backward(batch, start);
    ASSERT_EQ(actual.size(), du.size());
    for (size_t i = 0; i < du.size(); ++i) ASSERT_NEAR(actual[i], du[i].value, 1e-6 * du[i].size) << i;
  });
}

TEST_P(UnembedKernels, BackwardIsTheSlopeOfForward) {
  const Batch batch{7, GetParam(), 32};
  std::vector<double> u(batch.u.begin(), batch.u.end());
  std::vector<std::vector<double>> o;
  for (int b = 0; b < batch.n; ++b) o.push_back(sample_of(batch.o, b, batch.n));
  const auto loss_of = [&](int b) { return kScale * batch.weights[b] * predict(u, o[b], batch.targets[b]).loss; };
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

TEST_P(UnembedKernels, PaddingAddsNothing) {
  Batch batch{10, GetParam(), 48};
  std::fill(batch.weights.begin(), batch.weights.end(), 0.0f);
  const Forward forward = run_forward(batch);
  EXPECT_EQ(forward.sums.loss, 0);
  EXPECT_EQ(forward.sums.correct, 0);
  const auto start = draw(batch.vocab * batch.width * kLaneGroup, 5);
  const std::vector<float> actual = run_backward(batch, start);
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], i < start.size() ? start[i] : 0.0f) << i;
}

// Logits of ±1e4 in width 1: sample b answers token b % 4 among logits {1e4, -1e4, 0, 1e4}.
TEST(UnembedExtremes, LargeLogitsAndTiesStayRight) {
  Batch batch{4, 1, 16};
  batch.u = {1, -1, 0, 1};
  std::fill(batch.o.begin(), batch.o.end(), 1e4f);
  std::fill(batch.weights.begin(), batch.weights.end(), 0.0f);
  const double losses[4] = {std::log(2.0), 2e4 + std::log(2.0), 1e4 + std::log(2.0), std::log(2.0)};
  for (int answer = 0; answer < 4; ++answer) {
    batch.weights.assign(16, 0.0f);
    batch.weights[answer] = 1;
    batch.targets[answer] = answer;
    const Forward forward = run_forward(batch);
    EXPECT_NEAR(forward.sums.loss, losses[answer], 1e-6 * losses[answer]);
    EXPECT_EQ(forward.sums.correct, answer == 0 || answer == 3) << "a tie for the largest logit is the answer's too";
    EXPECT_EQ(forward.total[answer], 2.0f);
    const std::vector<float> actual = run_backward(batch, std::vector<float>(4 * kLaneGroup));
    const double softmax[4] = {0.5, 0, 0, 0.5};
    double d_o = 0;
    for (int v = 0; v < 4; ++v) {
      const double dlogit = kScale * (softmax[v] - (v == answer));
      EXPECT_NEAR(actual[v * kLaneGroup + answer], dlogit * 1e4, 1e-2 * kScale);
      d_o += dlogit * batch.u[v];
    }
    EXPECT_NEAR(actual[4 * kLaneGroup + answer], d_o, 1e-6);
  }
}

// A network that has begun to break must not report a finite loss: divergence is found by it.
TEST(UnembedExtremes, BrokenLogitsBreakTheLoss) {
  const RestoreTarget restore;
  for (const std::string& target : supported_targets()) {
    pin_target(target);
    for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      for (int v = 0; v < 5; ++v) {
        Batch batch{5, 1, 16};
        std::fill(batch.o.begin(), batch.o.end(), 1.0f);
        std::fill(batch.targets.begin(), batch.targets.end(), 2);
        batch.u[v] = broken;
        EXPECT_FALSE(std::isfinite(run_forward(batch).sums.loss)) << target << ", logit " << v << " is " << broken;
      }
    }
  }
}

}  // namespace
}  // namespace atto
