#include "math/censored_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace atto {
namespace {

struct Sample {
  Eigen::MatrixXd x;
  Eigen::VectorXd y, truth;  // truth: y before it was cut off
  std::vector<bool> censored;
};

// y = 1 + 2 x_1 - 0.5 x_2 + noise, cut off at `cut`.
Sample draw(int rows, double noise, double cut, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> place(0, 4);
  std::normal_distribution<double> error;
  Sample sample{Eigen::MatrixXd(rows, 2), Eigen::VectorXd(rows), Eigen::VectorXd(rows), {}};
  for (int row = 0; row < rows; ++row) {
    sample.x(row, 0) = place(engine);
    sample.x(row, 1) = place(engine);
    sample.truth(row) = 1 + 2 * sample.x(row, 0) - 0.5 * sample.x(row, 1) + noise * error(engine);
    sample.y(row) = std::min(cut, sample.truth(row));
    sample.censored.push_back(sample.truth(row) > cut);
  }
  return sample;
}

CensoredRegression regression(const Sample& sample) { return {sample.x, sample.y, sample.censored}; }

double log_likelihood(const Sample& sample, const Eigen::VectorXd& weights, double intercept,
                      const Eigen::VectorXd& slopes, double deviation) {
  double sum = 0;
  for (Eigen::Index row = 0; row < sample.y.size(); ++row) {
    const double z = (sample.y(row) - intercept - sample.x.row(row).dot(slopes)) / deviation;
    sum += weights(row) * (sample.censored[static_cast<size_t>(row)]
                               ? std::log(0.5 * std::erfc(z / std::sqrt(2.0)))
                               : -0.5 * z * z - std::log(deviation * std::sqrt(2 * M_PI)));
  }
  return sum;
}

TEST(CensoredRegression, WithoutCensoringSolvesTheNormalEquations) {
  const Sample sample = draw(40, 0.3, 1e9, 1);
  Eigen::MatrixXd x(40, 3);
  x << Eigen::VectorXd::Ones(40), sample.x;
  const auto fit = regression(sample).fit();
  ASSERT_TRUE(fit);
  const Eigen::VectorXd errors = (sample.y - sample.x * fit->slopes).array() - fit->intercept;
  EXPECT_LT((x.transpose() * errors).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(fit->deviation, std::sqrt(errors.squaredNorm() / 40), 1e-12);
  EXPECT_NEAR(fit->log_likelihood,
              log_likelihood(sample, Eigen::VectorXd::Ones(40), fit->intercept, fit->slopes, fit->deviation), 1e-9);
}

// Any small step away from the fit lowers the likelihood, written out here from its definition.
TEST(CensoredRegression, WithCensoringMaximizesTheLikelihood) {
  const Sample sample = draw(60, 0.8, 5, 2);
  Eigen::VectorXd weights(60);
  for (int row = 0; row < 60; ++row) weights(row) = 0.5 + row % 3;
  const auto fit = regression(sample).fit(weights);
  ASSERT_TRUE(fit);
  const double best = log_likelihood(sample, weights, fit->intercept, fit->slopes, fit->deviation);
  EXPECT_NEAR(fit->log_likelihood, best, 1e-9);
  for (const double step : {-1e-3, 1e-3}) {
    EXPECT_LT(log_likelihood(sample, weights, fit->intercept + step, fit->slopes, fit->deviation), best);
    EXPECT_LT(log_likelihood(sample, weights, fit->intercept, fit->slopes, fit->deviation + step), best);
    for (int i = 0; i < 2; ++i) {
      Eigen::VectorXd slopes = fit->slopes;
      slopes(i) += step;
      EXPECT_LT(log_likelihood(sample, weights, fit->intercept, slopes, fit->deviation), best);
    }
  }
}

TEST(CensoredRegression, RecoversALineWithoutNoise) {
  for (const double cut : {1e9, 5.0}) {
    const auto fit = regression(draw(30, 0, cut, 3)).fit();
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 1, 1e-7);
    EXPECT_NEAR(fit->slopes(0), 2, 1e-7);
    EXPECT_NEAR(fit->slopes(1), -0.5, 1e-7);
    EXPECT_LT(fit->deviation, 1e-6);
    EXPECT_TRUE(std::isfinite(fit->log_likelihood));
  }
}

// A third of the runs cut off: left out, or taken at the bound, they pull the slope down; the likelihood does not.
TEST(CensoredRegression, IsNotBiasedByCensoring) {
  double proper = 0, left_out = 0, at_bound = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Sample sample = draw(60, 1, 5.5, static_cast<uint64_t>(100 + trial));
    proper += regression(sample).fit()->slopes(0) / kTrials;
    const std::vector<bool> none(60, false);
    at_bound += CensoredRegression(sample.x, sample.y, none).fit()->slopes(0) / kTrials;
    Eigen::VectorXd weights = Eigen::VectorXd::Ones(60);
    for (int row = 0; row < 60; ++row)
      if (sample.censored[static_cast<size_t>(row)]) weights(row) = 1e-12;
    left_out += CensoredRegression(sample.x, sample.y, none).fit(weights)->slopes(0) / kTrials;
  }
  EXPECT_NEAR(proper, 2, 0.02);
  EXPECT_LT(left_out, 1.9);
  EXPECT_LT(at_bound, 1.6);
}

TEST(CensoredRegression, AWeightOfTwoIsARowTwice) {
  const Sample sample = draw(20, 0.5, 5, 4);
  Sample doubled{Eigen::MatrixXd(40, 2), Eigen::VectorXd(40), {}, sample.censored};
  doubled.x << sample.x, sample.x;
  doubled.y << sample.y, sample.y;
  doubled.censored.insert(doubled.censored.end(), sample.censored.begin(), sample.censored.end());
  const auto weighted = regression(sample).fit(Eigen::VectorXd::Constant(20, 2)), twice = regression(doubled).fit();
  EXPECT_NEAR(weighted->slopes(0), twice->slopes(0), 1e-8);
  EXPECT_NEAR(weighted->deviation, twice->deviation, 1e-8);
  EXPECT_NEAR(weighted->log_likelihood, twice->log_likelihood, 1e-7);
}

TEST(CensoredRegression, SaysWhenTheLineIsNotDetermined) {
  Sample sample = draw(20, 0.5, 1e9, 5);
  EXPECT_EQ(regression(sample).rank(), 3);
  sample.x.col(1) = 3 * sample.x.col(0).array() + 1;
  EXPECT_EQ(regression(sample).rank(), 2);
  EXPECT_FALSE(regression(sample).fit());
  sample.x.col(1).setConstant(1e6);
  EXPECT_EQ(regression(sample).rank(), 2);
  sample = draw(20, 0.5, 1e9, 5);
  sample.censored.assign(20, true);
  EXPECT_EQ(regression(sample).rank(), 0);
  EXPECT_FALSE(regression(sample).fit());
}

}  // namespace
}  // namespace atto
