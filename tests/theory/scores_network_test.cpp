// The network with free scores: its expected loss against a Monte Carlo of literal tokens, its exact gradient against
// differences of that loss, and the law of its sampled gradient against the one of literal tokens.
#include "theory/scores_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/simd/target.h"

namespace atto {
namespace {

struct Toy {
  explicit Toy(Regression t, unsigned seed = 1) : task(t), target(draw_target(t, seed)), network(t, target) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    parameters.resize(network.parameter_count());
    for (float& value : parameters) value = 0.7f * normal(generator);
  }

  double loss(std::span<const float> at, double cross) const {
    return network.expected_loss(network.summarise(at), cross);
  }

  Regression task;
  RegressionTarget target;
  ScoresNetwork network;
  std::vector<float> parameters;
};

// Loss and gradient of one batch of tokens drawn one by one, in double: the definition, in plain loops.
class Literal {
 public:
  Literal(const Toy& toy, unsigned seed) : toy_(toy), generator_(seed) {}

  double draw(int batch, std::vector<double>& gradient) {
    const auto T = static_cast<size_t>(toy_.task.length), d = static_cast<size_t>(toy_.task.dimension);
    const auto first_relevant = T - static_cast<size_t>(toy_.task.repeat);
    const auto w = toy_.network.weights(toy_.parameters), a = toy_.network.scores(toy_.parameters);
    std::vector<double> alpha(T);
    double total = 0;
    for (size_t t = 0; t < T; ++t) total += alpha[t] = std::exp(static_cast<double>(a[t]));
    for (double& value : alpha) value /= total;
    const size_t scores = toy_.network.parameter_count() - T;
    gradient.assign(toy_.network.parameter_count(), 0.0);
    double loss = 0;
    std::normal_distribution<double> normal(0, 1 / std::sqrt(static_cast<double>(d)));
    std::uniform_real_distribution<double> coin;
    for (int b = 0; b < batch; ++b) {
      std::vector<double> relevant(d);
      const bool repeats = coin(generator_) < toy_.task.cross;
      for (size_t f = 0; f < d; ++f) relevant[f] = repeats ? toy_.target.repeated[f] : normal(generator_);
      std::vector<std::vector<double>> x(T, relevant);
      for (size_t t = 0; t < first_relevant; ++t)
        for (double& value : x[t]) value = normal(generator_);
      std::vector<double> mean(d), error(d), v(d);
      for (size_t t = 0; t < T; ++t)
        for (size_t f = 0; f < d; ++f) mean[f] += alpha[t] * x[t][f];
      for (size_t o = 0; o < d; ++o)
        for (size_t f = 0; f < d; ++f)
          error[o] += static_cast<double>(w[o * d + f]) * mean[f] -
                      static_cast<double>(toy_.target.weights[o * d + f]) * relevant[f];
      for (size_t f = 0; f < d; ++f)
        for (size_t o = 0; o < d; ++o) v[f] += static_cast<double>(w[o * d + f]) * error[o];
      double by_mean = 0;
      for (size_t f = 0; f < d; ++f) by_mean += mean[f] * v[f];
      for (size_t o = 0; o < d; ++o) {
        loss += 0.5 * error[o] * error[o] / batch;
        for (size_t f = 0; f < d; ++f) gradient[o * d + f] += error[o] * mean[f] / batch;
      }
      for (size_t t = 0; t < T; ++t) {
        double product = 0;
        for (size_t f = 0; f < d; ++f) product += x[t][f] * v[f];
        gradient[scores + t] += alpha[t] * (product - by_mean) / batch;
      }
    }
    return loss;
  }

 private:
  const Toy& toy_;
  std::mt19937_64 generator_;
};

// Means, variances and covariances with the last score, of loss and gradient over many batches.
struct Moments {
  std::vector<double> mean, square, with_last;
  int count = 0;

  void add(double loss, const std::vector<double>& gradient) {
    std::vector<double> all = gradient;
    all.push_back(loss);
    if (count == 0) mean = square = with_last = std::vector<double>(all.size());
    ++count;
    for (size_t i = 0; i < all.size(); ++i) {
      mean[i] += all[i];
      square[i] += all[i] * all[i];
      with_last[i] += all[i] * gradient.back();
    }
  }
  void finish() {
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] /= count;
      square[i] /= count;
      with_last[i] /= count;
    }
  }
  double variance(size_t i) const { return square[i] - mean[i] * mean[i]; }
};

const Regression kTasks[] = {{5, 3, 1, 0}, {6, 3, 2, 0}, {5, 4, 1, 0.4}, {7, 3, 3, 0.25}, {2, 1, 1, 0}};

TEST(ScoresNetwork, ExpectedGradientIsTheSlopeOfTheExpectedLoss) {
  for (const Regression& task : kTasks) {
    Toy toy(task);
    std::vector<float> gradient(toy.parameters.size());
    EXPECT_NEAR(toy.network.expected_gradient(toy.parameters, gradient), toy.loss(toy.parameters, task.cross), 1e-6);
    const size_t square = static_cast<size_t>(task.dimension * task.dimension);
    for (size_t i = 0; i < gradient.size(); ++i) {
      if (i >= square && i + static_cast<size_t>(task.length) < gradient.size()) continue;  // padding
      std::vector<float> moved = toy.parameters;
      const float step = 1e-2f;
      moved[i] = toy.parameters[i] + step;
      const double above = toy.loss(moved, task.cross), up = moved[i];
      moved[i] = toy.parameters[i] - step;
      const double below = toy.loss(moved, task.cross), down = moved[i];
      EXPECT_NEAR(gradient[i], (above - below) / (up - down), 2e-4) << "parameter " << i;
    }
  }
}

TEST(ScoresNetwork, ExpectedLossIsTheMeanOverLiteralTokens) {
  for (const Regression& task : kTasks) {
    const Toy toy(task);
    Literal literal(toy, 11);
    std::vector<double> gradient;
    double sum = 0, square = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const double loss = literal.draw(1, gradient);
      sum += loss / kDraws;
      square += loss * loss / kDraws;
    }
    EXPECT_NEAR(toy.loss(toy.parameters, task.cross), sum, 4.5 * std::sqrt((square - sum * sum) / kDraws));
  }
}

// The sampled gradient never sees a token; its first and second moments must not tell.
TEST(ScoresNetwork, SampledGradientHasTheLawOfLiteralTokens) {
  constexpr int kDraws = 20000, kBatch = 3;
  for (const Regression& task : kTasks) {
    SCOPED_TRACE("T " + std::to_string(task.length) + ", d " + std::to_string(task.dimension) + ", B " +
                 std::to_string(task.repeat) + ", p " + std::to_string(task.cross));
    Toy toy(task, 5);
    Literal literal(toy, 12);
    Moments drawn, expected;
    std::vector<double> gradient;
    std::vector<float> sampled(toy.parameters.size()), exact(toy.parameters.size());
    for (int i = 0; i < kDraws; ++i) {
      const double loss = literal.draw(kBatch, gradient);
      expected.add(loss, gradient);
      const double other = toy.network.sampled_gradient(toy.parameters, 9, i, kBatch, sampled);
      drawn.add(other, {sampled.begin(), sampled.end()});
    }
    expected.finish();
    drawn.finish();
    toy.network.expected_gradient(toy.parameters, exact);
    for (size_t i = 0; i < drawn.mean.size(); ++i) {
      const double deviation = std::sqrt(expected.variance(i));
      if (i < exact.size()) {
        EXPECT_NEAR(drawn.mean[i], exact[i], 4.5 * deviation / std::sqrt(kDraws)) << i;
      }
      EXPECT_NEAR(std::sqrt(std::max(0.0, drawn.variance(i))), deviation, 0.08 * deviation + 1e-6) << i;
      const double last = std::sqrt(expected.variance(exact.size() - 1));
      const auto covariance = [&](const Moments& of) {
        return of.with_last[i] - of.mean[i] * of.mean[exact.size() - 1];
      };
      EXPECT_NEAR(covariance(drawn), covariance(expected), 0.1 * deviation * last + 1e-9) << i;
    }
  }
}

TEST(ScoresNetwork, SampledGradientIsTheSameOnEveryTarget) {
  for (const Regression& task : {Regression{5, 3, 1, 0}, Regression{40, 33, 2, 0.3}}) {
    std::vector<std::vector<float>> all;
    for (const std::string& name : supported_targets()) {
      pin_target(name);
      Toy toy(task);
      std::vector<float> gradient(toy.parameters.size());
      toy.network.sampled_gradient(toy.parameters, 4, 2, 21, gradient);
      all.push_back(gradient);
    }
    pin_target("");
    for (const auto& one : all) EXPECT_EQ(one, all.front());
  }
}

// A forecast that asks for more would refuse runs that fit into memory.
TEST(ScoresNetwork, SamplesTakeAFewNumbersForEachOfTheirEntries) {
  const Regression task{64, 64, 1, 0};
  constexpr size_t kBatch = 128, kEntries = kBatch * 64;
  const size_t samples = ScoresNetwork::bytes(task, kBatch) - ScoresNetwork::bytes(task, 0);
  EXPECT_GE(samples, sizeof(float) * kEntries);
  EXPECT_LE(samples, sizeof(float) * 8 * kEntries);
}

// Half of the batch is half of the samples: lanes that pad a batch to a group add nothing.
TEST(ScoresNetwork, PaddingAddsNothing) {
  Toy toy({6, 5, 1, 0.2});
  std::vector<float> gradient(toy.parameters.size());
  const double few = toy.network.sampled_gradient(toy.parameters, 4, 2, 1, gradient);
  const double start = toy.network.expected_loss({}, 0);
  EXPECT_GT(few, 0);
  EXPECT_LT(few, 100 * start) << "a mean over one sample, not over 16";
}

}  // namespace
}  // namespace atto
