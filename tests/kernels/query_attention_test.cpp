// Attention of one query against a scalar reference in double, sample by sample.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto::query_attention_test {
namespace {

// One sample: query q[D], keys and values x[J][D].
struct Sample {
  int keys, width;
  double scale;
  std::vector<double> q, x;

  struct Attended {
    std::vector<double> a, mean;
    double score_size = 0;  // the largest Σ_f |scale q_f x_jf|: what the error of a score is measured by
  };
  Attended attend() const {
    Attended r{std::vector<double>(keys), std::vector<double>(width)};
    for (int j = 0; j < keys; ++j) {
      Sum score;
      for (int f = 0; f < width; ++f) score.add(scale * q[f] * x[j * width + f]);
      r.a[j] = score.value;
      r.score_size = std::max(r.score_size, score.size);
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
  int keys, width, n;
  float scale = 0.7f;
  std::vector<float> q = draw(width * n, 1), x = draw(keys * width * n, 2), dmean = draw(width * n, 3);

  Sample sample(int lane) const {
    Sample one{keys, width, scale, std::vector<double>(width), std::vector<double>(keys * width)};
    for (int f = 0; f < width; ++f) one.q[f] = q[f * n + lane];
    for (int i = 0; i < keys * width; ++i) one.x[i] = x[i * n + lane];
    return one;
  }
  std::vector<float> weights() const {
    std::vector<float> a(keys * n);
    for (int b = 0; b < n; ++b) {
      const auto attended = sample(b).attend();
      for (int j = 0; j < keys; ++j) a[j * n + b] = static_cast<float>(attended.a[j]);
    }
    return a;
  }
};

class AttentionKernels : public testing::TestWithParam<int> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int keys : {1, 2, 4, 7, 33})
      for (const int n : kLaneCounts) {
        if (keys == 33 && n > 32) continue;
        SCOPED_TRACE("keys " + std::to_string(keys) + ", lanes " + std::to_string(n));
        check(keys, GetParam(), n);
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Width, AttentionKernels, testing::ValuesIn(kWidths));

TEST_P(AttentionKernels, ForwardIsSoftmaxAndMean) {
  for_shapes([](int keys, int width, int n) {
    const Batch batch{keys, width, n};
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
    expect_sums(a, [&](Memory& memory) {
      float* weights = memory.result(keys * n);
      attend_forward(memory.input(batch.q), memory.input(batch.x), keys, width, batch.scale, weights,
                     memory.result(width * n), n);
    });
  });
}

TEST_P(AttentionKernels, BackwardFollowsTheFormula) {
  for_shapes([](int keys, int width, int n) {
    const Batch batch{keys, width, n};
    const auto a = batch.weights(), start = draw(keys * width * n, 4);
    for (const bool add : {false, true}) {
      std::vector<Sum> dq(width * n), dx(keys * width * n);
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
          const double ds = one.scale * weight * (da[j].value - mean_da.value);
          const double ds_size = one.scale * weight * (da[j].size + mean_da.size);
          for (int f = 0; f < width; ++f) {
            const int at = (j * width + f) * n + b;
            dq[f * n + b].add(ds * one.x[j * width + f], ds_size * std::abs(one.x[j * width + f]));
            if (add) dx[at].add(start[at]);
            dx[at].add(ds * one.q[f], ds_size * std::abs(one.q[f]));
            dx[at].add(weight * batch.dmean[f * n + b]);
          }
        }
      }
      dq.insert(dq.end(), dx.begin(), dx.end());
      expect_sums(dq, [&](Memory& memory) {
        float* query_gradient = memory.result(width * n);
        attend_backward(memory.input(batch.q), memory.input(batch.x), memory.input(a), memory.input(batch.dmean), keys,
                        width, batch.scale, memory.scratch(keys * n), query_gradient,
                        add ? memory.result(start) : memory.result(keys * width * n), add, n);
      });
    }
  });
}

TEST_P(AttentionKernels, BackwardIsTheSlopeOfForward) {
  const int width = GetParam(), n = 16;
  for (const int keys : {1, 2, 5}) {
    const Batch batch{keys, width, n};
    const auto a = batch.weights();
    std::vector<Sum> dq(width * n), dx(keys * width * n);
    for (int b = 0; b < n; ++b) {
      Sample one = batch.sample(b);
      const auto loss = [&] {  // Σ dmean · mean
        const auto r = one.attend();
        double sum = 0;
        for (int f = 0; f < width; ++f) sum += batch.dmean[f * n + b] * r.mean[f];
        return sum;
      };
      for (int f = 0; f < width; ++f) dq[f * n + b].add(slope(one.q[f], loss), width);
      for (int i = 0; i < keys * width; ++i) dx[i * n + b].add(slope(one.x[i], loss), width);
    }
    dq.insert(dq.end(), dx.begin(), dx.end());
    expect_sums(dq, [&](Memory& memory) {
      float* query_gradient = memory.result(width * n);
      attend_backward(memory.input(batch.q), memory.input(batch.x), memory.input(a), memory.input(batch.dmean), keys,
                      width, batch.scale, memory.scratch(keys * n), query_gradient, memory.result(keys * width * n),
                      false, n);
    });
  }
}

// Scores of ±1e4: the weights must settle on the largest score, evenly over ties, and nothing may overflow.
TEST_P(AttentionKernels, ExtremeScoresSaturate) {
  const int width = GetParam(), keys = 4, n = 16;
  std::vector<float> q(width * n), x(keys * width * n);
  std::fill_n(q.begin(), n, 100.0f);
  for (int b = 0; b < n; ++b) {
    const float scores[4] = {-100, 100, b % 2 == 0 ? 100.0f : -100.0f, 0};
    for (int j = 0; j < keys; ++j) x[j * width * n + b] = scores[j];
  }
  const auto results = floats_everywhere([&](Memory& memory) {
    float* a = memory.result(keys * n);
    attend_forward(memory.input(q), memory.input(x), keys, width, 1.0f, a, memory.result(width * n), n);
  });
  for (int b = 0; b < n; ++b) {
    const bool tie = b % 2 == 0;
    EXPECT_NEAR(results[0 * n + b], 0, 1e-37);
    EXPECT_EQ(results[1 * n + b], tie ? 0.5f : 1.0f);
    EXPECT_NEAR(results[2 * n + b], tie ? 0.5 : 0, 1e-37);
    EXPECT_NEAR(results[3 * n + b], 0, 1e-37);
    EXPECT_EQ(results[keys * n + b], 100.0f);  // the mean's first feature
  }
}

}  // namespace
}  // namespace atto::query_attention_test
