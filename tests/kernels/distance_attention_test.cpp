// Attention by distance against a scalar reference in double, sample by sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto::distance_attention_test {
namespace {

// One sample: query q[D], keys k[J][D], values x[J][D].
struct Sample {
  int keys, width;
  DistanceScore score;
  std::vector<double> q, k, x;

  double square(int j) const {
    double sum = 0;
    for (int f = 0; f < width; ++f) sum += (q[f] - k[j * width + f]) * (q[f] - k[j * width + f]);
    return score.inverse ? sum + kCoincident : sum;
  }
  double score_of(int j) const {
    return score.inverse ? -0.5 * score.factor * std::log(square(j)) : -score.factor * square(j);
  }
  // d score / d q_f = -d score / d k_f
  double pull(int j, int f) const {
    return -score.factor * (score.inverse ? 1 / square(j) : 2.0) * (q[f] - k[j * width + f]);
  }

  struct Attended {
    std::vector<double> a, mean;
    double score_size = 0;  // the largest score: what the error of a score is measured by
  };
  Attended attend() const {
    Attended r{std::vector<double>(keys), std::vector<double>(width)};
    for (int j = 0; j < keys; ++j) {
      r.a[j] = score_of(j);
      // ln of a small square has a small argument but not a small error
      r.score_size = std::max(r.score_size, std::abs(r.a[j]) + (score.inverse ? score.factor : 0));
    }
    const double highest = *std::max_element(r.a.begin(), r.a.end());
    double total = 0;
    for (double& weight : r.a) total += weight = std::exp(weight - highest);
    for (double& weight : r.a) weight /= total;
    for (int j = 0; j < keys; ++j)
      for (int f = 0; f < width; ++f) r.mean[f] += r.a[j] * x[j * width + f];
    return r;
  }
};

struct Batch {
  DistanceScore score;
  int keys, width, n;
  std::vector<float> q = draw(width * n, 1), k = draw(keys * width * n, 2), x = draw(keys * width * n, 3);
  std::vector<float> dmean = draw(width * n, 4);

  Sample sample(int lane) const {
    const auto of = [&](const std::vector<float>& rows) {
      std::vector<double> one;
      for (size_t i = static_cast<size_t>(lane); i < rows.size(); i += static_cast<size_t>(n)) one.push_back(rows[i]);
      return one;
    };
    return {keys, width, score, of(q), of(k), of(x)};
  }
  std::vector<float> weights() const {
    std::vector<float> a(keys * n);
    for (int b = 0; b < n; ++b) {
      const auto attended = sample(b).attend();
      for (int j = 0; j < keys; ++j) a[j * n + b] = static_cast<float>(attended.a[j]);
    }
    return a;
  }
  void forward(Memory& memory) const {
    float* a = memory.result(keys * n);
    attend_distance_forward(score, memory.input(q), memory.input(k), memory.input(x), keys, width, a,
                            memory.result(width * n), n);
  }
  // dq, dk and dx; `start` is what dk and dx hold when they are added to.
  void backward(Memory& memory, const std::vector<float>& a, const std::vector<float>* start = nullptr) const {
    float* dq = memory.result(width * n);
    float* dk = start ? memory.result(*start) : memory.result(keys * width * n);
    float* dx = start ? memory.result(*start) : memory.result(keys * width * n);
    attend_distance_backward(score, memory.input(q), memory.input(k), memory.input(x), memory.input(a),
                             memory.input(dmean), keys, width, memory.scratch(keys * n), dq, dk, dx, start != nullptr,
                             n);
  }
};

constexpr DistanceScore kSquared{false, 0.7f}, kInverse{true, 2.5f};

class DistanceKernels : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static int width() { return std::get<0>(GetParam()); }
  static DistanceScore score() { return std::get<1>(GetParam()) ? kInverse : kSquared; }

  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int keys : {1, 2, 7})
      for (const int n : {0, 16, 48}) {
        SCOPED_TRACE("keys " + std::to_string(keys) + ", lanes " + std::to_string(n));
        check(Batch{score(), keys, width(), n});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(WidthInverse, DistanceKernels,
                         testing::Combine(testing::Values(1, 2, 3, 4, 10, 17), testing::Bool()));

TEST_P(DistanceKernels, ForwardIsSoftmaxAndMean) {
  for_shapes([](const Batch& batch) {
    const int keys = batch.keys, width = batch.width, n = batch.n;
    std::vector<Sum> a(keys * n), mean(width * n);
    for (int b = 0; b < n; ++b) {
      const Sample one = batch.sample(b);
      const auto r = one.attend();
      const double doubt = 1 + r.score_size;  // an error of a score is a relative error of its weight
      for (int j = 0; j < keys; ++j) a[j * n + b].add(r.a[j], r.a[j] * doubt);
      for (int f = 0; f < width; ++f)
        for (int j = 0; j < keys; ++j) {
          const double term = r.a[j] * one.x[j * width + f];
          mean[f * n + b].add(term, std::abs(term) * doubt);
        }
    }
    a.insert(a.end(), mean.begin(), mean.end());
    expect_sums(a, [&](Memory& memory) { batch.forward(memory); });
  });
}

TEST_P(DistanceKernels, BackwardFollowsTheFormula) {
  for_shapes([](const Batch& batch) {
    const int keys = batch.keys, width = batch.width, n = batch.n;
    const auto a = batch.weights(), start = draw(keys * width * n, 5);
    for (const bool add : {false, true}) {
      std::vector<Sum> dq(width * n), dk(keys * width * n), dx(keys * width * n);
      for (int b = 0; b < n; ++b) {
        const Sample one = batch.sample(b);
        Sum mean_da;
        std::vector<Sum> da(keys);
        for (int j = 0; j < keys; ++j) {
          for (int f = 0; f < width; ++f) da[j].add(batch.dmean[f * n + b] * one.x[j * width + f]);
          mean_da.add(a[j * n + b] * da[j].value, a[j * n + b] * da[j].size);
        }
        for (int j = 0; j < keys; ++j) {
          const double weight = a[j * n + b];
          const double ds = weight * (da[j].value - mean_da.value), ds_size = weight * (da[j].size + mean_da.size);
          for (int f = 0; f < width; ++f) {
            const int at = (j * width + f) * n + b;
            const double pull = one.pull(j, f);
            dq[f * n + b].add(ds * pull, ds_size * std::abs(pull));
            if (add) dk[at].add(start[at]);
            dk[at].add(-ds * pull, ds_size * std::abs(pull));
            if (add) dx[at].add(start[at]);
            dx[at].add(weight * batch.dmean[f * n + b]);
          }
        }
      }
      dq.insert(dq.end(), dk.begin(), dk.end());
      dq.insert(dq.end(), dx.begin(), dx.end());
      expect_sums(
          dq, [&](Memory& memory) { batch.backward(memory, a, add ? &start : nullptr); }, 2e-6);
    }
  });
}

// Keys and query are kept apart here: close to a coincidence central differences say nothing.
TEST_P(DistanceKernels, BackwardIsTheSlopeOfForward) {
  Batch batch{score(), 4, width(), 16};
  for (float& value : batch.k) value += value < 0 ? -1.5f : 1.5f;
  const int keys = batch.keys, n = batch.n;
  std::vector<Sum> dq(width() * n), dk(keys * width() * n), dx(keys * width() * n);
  for (int b = 0; b < n; ++b) {
    Sample one = batch.sample(b);
    const auto loss = [&] {  // Σ dmean · mean
      const auto r = one.attend();
      double sum = 0;
      for (int f = 0; f < one.width; ++f) sum += batch.dmean[f * n + b] * r.mean[f];
      return sum;
    };
    for (int f = 0; f < width(); ++f) dq[f * n + b].add(slope(one.q[f], loss), 4 * width());
    for (int i = 0; i < keys * width(); ++i) dk[i * n + b].add(slope(one.k[i], loss), 4 * width());
    for (int i = 0; i < keys * width(); ++i) dx[i * n + b].add(slope(one.x[i], loss), 4 * width());
  }
  dq.insert(dq.end(), dk.begin(), dk.end());
  dq.insert(dq.end(), dx.begin(), dx.end());
  const auto a = batch.weights();
  expect_sums(dq, [&](Memory& memory) { batch.backward(memory, a); });
}

// Key 1 is the query itself, keys 0 and 2 are away from it by 1 and by 2 in one feature.
TEST_P(DistanceKernels, ACoincidentKeyIsFinite) {
  Batch batch{score(), 3, width(), 16};
  const int n = batch.n, block = width() * n;
  for (int j = 0; j < 3; ++j) std::copy(batch.q.begin(), batch.q.end(), batch.k.begin() + j * block);
  for (int b = 0; b < n; ++b) {
    batch.k[b] += 1;
    batch.k[2 * block + b] += 2;
  }
  const auto forward = floats_everywhere([&](Memory& memory) { batch.forward(memory); });
  for (int b = 0; b < n; ++b) {
    const auto expected = batch.sample(b).attend();
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(forward[j * n + b], expected.a[j], 2e-5 * expected.a[j]);
  }
  const std::vector<float> a(forward.begin(), forward.begin() + 3 * n);
  const auto gradients = floats_everywhere([&](Memory& memory) { batch.backward(memory, a); });
  for (const float value : gradients) ASSERT_TRUE(std::isfinite(value));
  for (int i = 0; i < block; ++i) EXPECT_EQ(gradients[2 * block + i], 0) << "no slope at a coincident key";
}

// All keys at the query: equal weights, no pull at all.
TEST_P(DistanceKernels, AllCoincidentKeysShareTheWeight) {
  Batch batch{score(), 4, width(), 16};
  const int n = batch.n, block = width() * n;
  for (int j = 0; j < 4; ++j) std::copy(batch.q.begin(), batch.q.end(), batch.k.begin() + j * block);
  const auto forward = floats_everywhere([&](Memory& memory) { batch.forward(memory); });
  for (int i = 0; i < 4 * n; ++i) EXPECT_EQ(forward[i], 0.25f);
  const std::vector<float> a(forward.begin(), forward.begin() + 4 * n);
  const auto gradients = floats_everywhere([&](Memory& memory) { batch.backward(memory, a); });
  for (int i = 0; i < 5 * block; ++i) EXPECT_EQ(gradients[i], 0) << i;  // dq, then dk of four keys
}

// Distances of 1e4 (scores of -7e7 by square) and scores of ±1e4 by a power of 1000: saturated, finite, sum 1.
TEST_P(DistanceKernels, ExtremeScoresSaturate) {
  Batch batch{score(), 3, width(), 16};
  if (batch.score.inverse) batch.score.factor = 1000;
  const int n = batch.n, block = width() * n;
  for (const float away : {1e4f, 1.0f}) {
    for (int j = 0; j < 3; ++j) std::copy(batch.q.begin(), batch.q.end(), batch.k.begin() + j * block);
    for (int b = 0; b < n; ++b) {
      batch.k[b] += away;
      batch.k[2 * block + b] -= b % 2 == 0 ? 2 * away : 0;  // odd lanes: a tie for the nearest
    }
    const auto forward = floats_everywhere([&](Memory& memory) { batch.forward(memory); });
    for (int b = 0; b < n; ++b) {
      const auto expected = batch.sample(b).attend();
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(forward[j * n + b], expected.a[j], 1e-5 * expected.a[j] + 1e-37);
      EXPECT_NEAR(forward[b] + forward[n + b] + forward[2 * n + b], 1, 1e-6);
    }
    const std::vector<float> a(forward.begin(), forward.begin() + 3 * n);
    for (const float value : floats_everywhere([&](Memory& memory) { batch.backward(memory, a); }))
      ASSERT_TRUE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace atto::distance_attention_test
