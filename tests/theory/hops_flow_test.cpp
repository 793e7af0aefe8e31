// The flow of several hops against the flow of one, against the closed form of its plateau, and against the network
// itself, trained on tokens.
#include "theory/hops_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "base/error.h"
#include "emergence_run.h"
#include "theory/gradient_flow.h"

namespace atto::hops_flow_test {
namespace {

// When the flow's loss is at a fifth of its start.
double escape(const std::vector<int64_t>& lengths, int64_t dimension, double w = 0, double gap = 0) {
  const HopsLoss loss(lengths, dimension);
  HopsFlow flow(loss, {w, {gap, gap, gap}});
  const double unit = 1e-3 / loss.growth_rate();
  double time = 0;
  while (loss.value(flow.advance_to(time)) > 0.1) time += unit;
  return time;
}

// √d Π T e^{−hΔ} ∫ e^{−h(u² − w²)/2} du from w on
double closed_form(const std::vector<int64_t>& lengths, int64_t dimension, double w = 0, double gap = 0) {
  const auto hops = static_cast<double>(lengths.size());
  double tokens = 1;
  for (const int64_t length : lengths) tokens *= static_cast<double>(length);
  return std::sqrt(static_cast<double>(dimension)) * tokens * std::exp(hops * (w * w / 2 - gap)) *
         std::sqrt(std::numbers::pi / (2 * hops)) * std::erfc(std::sqrt(hops / 2) * w);
}

TEST(HopsFlow, OfOneHopIsTheGradientFlow) {
  const Regression problem{64, 16, 1, 0};
  GradientFlow one(problem);
  HopsFlow hops(HopsLoss({64}, 16), {});
  for (int step = 1; step <= 100; ++step) {
    const ReducedState expected = one.advance_to(step * 10);
    const HopsState found = hops.advance_to(step * 10);
    ASSERT_NEAR(found.w, expected.w[0], 1e-7 * (1 + std::abs(expected.w[0])));
    ASSERT_NEAR(found.gap[0], expected.gap, 1e-7 * (1 + std::abs(expected.gap)));
  }
}

// The closed form leaves out the time from where w runs away to where the loss has fallen, at most about d, and the
// decay of w, smaller by 1/√d: both vanish beside the plateau, √d T, as d and T/√d grow.
TEST(HopsFlow, PlateauApproachesTheClosedForm) {
  for (const size_t hops : {1, 2, 3}) {
    double last = 0.4;
    for (const auto& [length, dimension] : {std::pair<int64_t, int64_t>{32, 16}, {256, 64}, {2048, 256}}) {
      const std::vector<int64_t> lengths(hops, length);
      const double excess = escape(lengths, dimension) / closed_form(lengths, dimension) - 1;
      EXPECT_GT(excess, 0) << hops << " hops of " << length;
      EXPECT_LT(excess, last) << hops << " hops of " << length;
      last = 0.75 * excess;
    }
  }
}

TEST(HopsFlow, PlateauDependsOnTheProductOfTheLengths) {
  const double even = escape({64, 64}, 256);
  EXPECT_NEAR(escape({32, 128}, 256) / even, 1, 0.05);
  EXPECT_NEAR(escape({16, 16, 16}, 256) / even, std::sqrt(2.0 / 3.0), 0.1);
}

TEST(HopsFlow, StartsWhereItIsTold) {
  for (const size_t hops : {1, 2})
    for (const double w : {-1.0, 0.0, 1.0})
      for (const double gap : {-0.5, 0.5}) {
        const std::vector<int64_t> lengths(hops, 4096);
        const double ratio = escape(lengths, 4096, w, gap) / escape(lengths, 4096);
        const double expected = closed_form(lengths, 4096, w, gap) / closed_form(lengths, 4096);
        EXPECT_NEAR(ratio / expected, 1, 0.15) << hops << " hops, w " << w << ", gap " << gap;
      }
}

// y = W Σ_{jt} β_j α_t x_jt with every entry of W and every score free, by gradient descent: on batches of tokens drawn
// one by one, or on the expected loss. The relevant token is (0, 0).
class TwoHops {
 public:
  TwoHops(size_t length, size_t dimension)
      : length_(length),
        d_(dimension),
        target_(draw_target({static_cast<int64_t>(length), static_cast<int64_t>(dimension), 1, 0}, 7).weights),
        w_(d_ * d_),
        a_(length),
        b_(length) {}

  // Steps until the expected loss is at most 0.1.
  int escape(double rate, size_t batch) {
    for (int step = 0; step < 100000; ++step) {
      const auto alpha = softmax(a_), beta = softmax(b_);
      if (expected_loss(alpha, beta) <= 0.1) return step;
      std::vector<double> dw(w_.size()), dalpha(length_), dbeta(length_);
      if (batch > 0) sampled(alpha, beta, batch, dw, dalpha, dbeta);
      else expected(alpha, beta, dw, dalpha, dbeta);
      for (size_t i = 0; i < w_.size(); ++i) w_[i] -= rate * dw[i];
      descend(a_, alpha, dalpha, rate);
      descend(b_, beta, dbeta, rate);
    }
    return -1;
  }

 private:
  using Numbers = std::vector<double>;

  static Numbers softmax(const Numbers& scores) {
    Numbers weights;
    double total = 0;
    for (const double score : scores) total += weights.emplace_back(std::exp(score));
    for (double& weight : weights) weight /= total;
    return weights;
  }
  static void descend(Numbers& scores, const Numbers& weights, const Numbers& slope, double rate) {
    double mean = 0;
    for (size_t t = 0; t < scores.size(); ++t) mean += weights[t] * slope[t];
    for (size_t t = 0; t < scores.size(); ++t) scores[t] -= rate * weights[t] * (slope[t] - mean);
  }
  static double squares(const Numbers& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return sum;
  }

  double norm() const { return squares(w_); }
  double along() const {
    double sum = 0;
    for (size_t i = 0; i < w_.size(); ++i) sum += w_[i] * static_cast<double>(target_[i]);
    return sum;
  }
  // ½/d [ (Σα²Σβ² − s²) ‖W‖² + ‖sW − W*‖² ] with s = α_0 β_0, which is ½/d [ Σα²Σβ² ‖W‖² − 2s ⟨W, W*⟩ + d ]
  double expected_loss(const Numbers& alpha, const Numbers& beta) const {
    const double d = static_cast<double>(d_);
    return (squares(alpha) * squares(beta) * norm() - 2 * alpha[0] * beta[0] * along() + d) / (2 * d);
  }
  void expected(const Numbers& alpha, const Numbers& beta, Numbers& dw, Numbers& dalpha, Numbers& dbeta) const {
    const double d = static_cast<double>(d_), qa = squares(alpha), qb = squares(beta), both = norm(), in = along();
    for (size_t i = 0; i < dw.size(); ++i)
      dw[i] = (qa * qb * w_[i] - alpha[0] * beta[0] * static_cast<double>(target_[i])) / d;
    for (size_t t = 0; t < length_; ++t) {
      dalpha[t] = (alpha[t] * qb * both - (t == 0 ? beta[0] * in : 0)) / d;
      dbeta[t] = (beta[t] * qa * both - (t == 0 ? alpha[0] * in : 0)) / d;
    }
  }
  void sampled(const Numbers& alpha, const Numbers& beta, size_t batch, Numbers& dw, Numbers& dalpha, Numbers& dbeta) {
    std::normal_distribution<double> normal(0, 1 / std::sqrt(static_cast<double>(d_)));
    Numbers tokens(length_ * length_ * d_), mean(d_), error(d_), back(d_);
    for (size_t sample = 0; sample < batch; ++sample) {
      for (double& value : tokens) value = normal(random_);
      std::fill(mean.begin(), mean.end(), 0.0);
      for (size_t j = 0; j < length_; ++j)
        for (size_t t = 0; t < length_; ++t)
          for (size_t f = 0; f < d_; ++f) mean[f] += beta[j] * alpha[t] * tokens[(j * length_ + t) * d_ + f];
      std::fill(back.begin(), back.end(), 0.0);
      for (size_t row = 0; row < d_; ++row) {
        error[row] = 0;
        for (size_t f = 0; f < d_; ++f)
          error[row] += w_[row * d_ + f] * mean[f] - static_cast<double>(target_[row * d_ + f]) * tokens[f];
        for (size_t f = 0; f < d_; ++f) back[f] += w_[row * d_ + f] * error[row];
      }
      const double share = 1 / static_cast<double>(batch);
      for (size_t row = 0; row < d_; ++row)
        for (size_t f = 0; f < d_; ++f) dw[row * d_ + f] += share * error[row] * mean[f];
      for (size_t j = 0; j < length_; ++j)
        for (size_t t = 0; t < length_; ++t) {
          double product = 0;
          for (size_t f = 0; f < d_; ++f) product += back[f] * tokens[(j * length_ + t) * d_ + f];
          dalpha[t] += share * beta[j] * product;
          dbeta[j] += share * alpha[t] * product;
        }
    }
  }

  size_t length_, d_;
  std::vector<float> target_;
  Numbers w_, a_, b_;
  std::mt19937_64 random_{1};
};

// The flow moves one score against all others; the network moves the others, too, by 1/(T − 1) as much.
TEST(HopsFlow, IsDescentOfTheNetworkAtASmallRate) {
  const double predicted = escape({100, 100}, 8), rate = 10;
  EXPECT_NEAR(TwoHops(100, 8).escape(rate, 0) * rate, predicted, 0.015 * predicted);
}

TEST(HopsFlow, TokensDrawnOneByOneGiveTheSamePlateau) {
  const double rate = 0.5, expected = TwoHops(6, 8).escape(rate, 0);
  EXPECT_NEAR(TwoHops(6, 8).escape(rate, 32), expected, 0.1 * expected);
}

RunConfig two_hops() {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 32;
  config.data.dimension = 16;
  config.data.hops = 2;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = "flow";
  config.training.gradient = GradientKind::expected;
  config.training.rate = 4;
  config.training.steps = 4000;
  return config;
}

TEST(HopsFlow, IsAskedForLikeAnyRun) {
  EmergenceRun run(two_hops());
  EXPECT_NEAR(run.evaluate().loss, 0.5, 1e-12);
  EXPECT_NEAR(run.measures().entropy, 2 * std::log(32.0), 1e-12);
  while (run.evaluate().loss > 0.1) run.update();
  EXPECT_NEAR(static_cast<double>(run.step()) * 4, escape({32, 32}, 16), 8);
  EXPECT_GT(run.measures().relevant, 0.5);
}

TEST(HopsFlow, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& beginning, auto change) {
    RunConfig config = two_hops();
    change(config);
    try {
      RunSpec{config};
      ADD_FAILURE() << beginning;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(beginning)) << error.what();
    }
  };
  refused("data.hops = 2, but the network of free scores learns one choice",
          [](RunConfig& config) { config.training.optimizer = "sgd"; });
  refused("data.hops = 2, but data.repeat", [](RunConfig& config) { config.data.repeat = 2; });
  refused("data.hops = 2, but data.repeat", [](RunConfig& config) { config.data.cross = 0.1; });
  refused("data.hops = 2, but regression by attention", [](RunConfig& config) {
    config.network.form = Form::attention;
    config.training.optimizer = "adam";
    config.training.gradient = GradientKind::sampled;
  });
  refused("network.gap_start = 1, but only free scores", [](RunConfig& config) {
    config.network.form = Form::attention;
    config.network.gap_start = 1;
  });
}

}  // namespace
}  // namespace atto::hops_flow_test
