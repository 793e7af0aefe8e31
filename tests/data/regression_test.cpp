#include "data/regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "data/task.h"

namespace atto {
namespace {

DataConfig regression(int64_t context, int64_t dimension, int64_t repeat = 1, double cross = 0) {
  DataConfig config;
  config.task = kRegression;
  config.context = context;
  config.dimension = dimension;
  config.repeat = repeat;
  config.cross = cross;
  return config;
}

double norm(const std::vector<float>& values) {
  double square = 0;
  for (const float value : values) square += static_cast<double>(value) * value;
  return std::sqrt(square);
}

TEST(Regression, RefusesSizesThatLeaveNothingToLearn) {
  EXPECT_NO_THROW(make_regression(regression(2, 1)));
  EXPECT_THROW(make_regression(regression(1, 4)), Error);
  EXPECT_THROW(make_regression(regression(8, 4, 8)), Error);
  EXPECT_THROW(make_regression(regression(8, 4, 9)), Error);
  EXPECT_THROW(make_regression(regression(8, 1, 1, 0.1)), Error);
  EXPECT_NO_THROW(make_regression(regression(8, 2, 7, 1.0)));
}

TEST(Regression, KnowsItsLosses) {
  const auto references = reference_losses(regression(8, 4));
  ASSERT_EQ(references.size(), 2u);
  EXPECT_EQ(references[0].name, "best");
  EXPECT_EQ(references[0].loss, 0);
  EXPECT_EQ(references[1].loss, kRegressionStartLoss);
}

TEST(RegressionTarget, HasUnitColumns) {
  const int d = 7;
  const RegressionTarget target = draw_target(make_regression(regression(8, d)), 3);
  for (int column = 0; column < d; ++column) {
    double square = 0;
    for (int row = 0; row < d; ++row) square += std::pow(target.weights[static_cast<size_t>(row * d + column)], 2);
    EXPECT_NEAR(square, 1, 1e-6);
  }
}

// ‖x̃‖ = 1, ‖W* x̃‖ = 1, ‖W*‖² = d: what the reduced theory takes for granted.
TEST(RegressionTarget, SplitsAlongTheRepeatedDirection) {
  const int d = 7;
  const RegressionTarget target = draw_target(make_regression(regression(8, d, 1, 0.25)), 3);
  EXPECT_NEAR(norm(target.repeated), 1, 1e-6);
  EXPECT_NEAR(norm(target.repeated_answer), 1, 1e-6);
  EXPECT_NEAR(norm(target.weights), std::sqrt(7.0), 1e-6);
  for (int row = 0; row < d; ++row) {
    double image = 0;
    for (int i = 0; i < d; ++i)
      image += static_cast<double>(target.weights[static_cast<size_t>(row * d + i)]) *
               target.repeated[static_cast<size_t>(i)];
    EXPECT_NEAR(image, target.repeated_answer[static_cast<size_t>(row)], 1e-6);
  }
}

TEST(RegressionTarget, DependsOnTheSeed) {
  const Regression task = make_regression(regression(8, 5));
  EXPECT_EQ(draw_target(task, 1).weights, draw_target(task, 1).weights);
  EXPECT_NE(draw_target(task, 1).weights, draw_target(task, 2).weights);
}

}  // namespace
}  // namespace atto
