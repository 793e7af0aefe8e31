// The reduced loss against the full toy network in expectation, the published special cases, and its own derivatives.
#include "theory/reduced_loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <complex>
#include <limits>

#include "base/error.h"
#include "theory/emergence_problems.h"

namespace atto {
namespace {

// ½E‖y − y*‖² of y = W Σ softmax(a)_t x_t with W* = I and x̃ the first axis, from first principles: the tokens are
// independent with zero mean but for the relevant one, so the error is a sum over positions and coordinates. W is
// diagonal.
double full_loss(const Regression& problem, const std::vector<double>& diagonal, double gap, double p) {
  std::vector<double> weights;
  double total = 0;
  for (int64_t t = 0; t < problem.length; ++t) {
    weights.push_back(t < problem.repeat ? std::exp(gap) : 1.0);
    total += weights.back();
  }
  double on_relevant = 0, others = 0;  // Σ of weights, Σ of squared weights
  for (int64_t t = 0; t < problem.length; ++t) {
    const double weight = weights[static_cast<size_t>(t)] / total;
    if (t < problem.repeat) on_relevant += weight;
    else others += weight * weight;
  }
  const double d = static_cast<double>(problem.dimension);
  double loss = 0;
  for (size_t i = 0; i < diagonal.size(); ++i) {
    const double error = on_relevant * diagonal[i] - 1;
    const double second_moment = (1 - p) / d + (i == 0 ? p : 0.0);
    loss += others * diagonal[i] * diagonal[i] / d + second_moment * error * error;
  }
  return loss / 2;
}

TEST(ReducedLoss, IsTheFullNetworksInExpectation) {
  for (const Regression problem :
       {Regression{5, 3, 1, 0.0}, Regression{7, 4, 3, 0.0}, Regression{6, 3, 1, 0.25}, Regression{9, 5, 4, 0.6}}) {
    const ReducedLoss loss(problem);
    for (const double gap : {-0.7, 0.0, 1.3}) {
      const double d = static_cast<double>(problem.dimension);
      ReducedState state{{0.8, problem.cross > 0 ? -1.7 : 0.0}, gap};
      std::vector<double> diagonal(static_cast<size_t>(problem.dimension),
                                   problem.cross > 0 ? state.w[1] / std::sqrt(d - 1) : state.w[0] / std::sqrt(d));
      if (problem.cross > 0) diagonal[0] = state.w[0];
      EXPECT_NEAR(loss.value(state), full_loss(problem, diagonal, gap, problem.cross), 1e-14);
      EXPECT_NEAR(loss.value(state, LossKind::test), full_loss(problem, diagonal, gap, 0), 1e-14);
    }
  }
}

TEST(ReducedLoss, HasThePublishedForms) {
  const double w = 1.9, other = 2.4, gap = 2.2;
  {
    const double T = 40, d = 6, B = 3, alpha = 1 / ((T - B) * std::exp(-gap) + B), rest = 1 - B * alpha;
    const double miss = B * alpha * w - std::sqrt(d);
    const ReducedLoss loss({40, 6, 3, 0});
    const ReducedState state{{w, 0}, gap}, slope = loss.gradient(state);
    EXPECT_NEAR(loss.value(state), (rest * rest * w * w / (d * (T - B)) + miss * miss / d) / 2, 1e-14);
    EXPECT_NEAR(slope.w[0], rest * rest * w / (d * (T - B)) + B * alpha * miss / d, 1e-14);
    EXPECT_NEAR(slope.gap, alpha * rest * (-B * rest * w * w / (d * (T - B)) + B * w * miss / d), 1e-14);
    EXPECT_NEAR(loss.attention(gap).relevant, B * alpha, 1e-15);
  }
  const double T = 40, d = 6, p = 0.3, alpha = 1 / ((T - 1) * std::exp(-gap) + 1);
  const auto published = [&](double repeated_variance, double variance) {
    const double first = alpha * w - 1, second = alpha * other - std::sqrt(d - 1);
    return ((1 - alpha) * (1 - alpha) * (w * w + other * other) / (d * (T - 1)) + repeated_variance * first * first +
            variance * second * second) /
           2;
  };
  const ReducedLoss loss({40, 6, 1, p});
  const ReducedState state{{w, other}, gap};
  EXPECT_NEAR(loss.value(state), published(p + (1 - p) / d, (1 - p) / d), 1e-14);
  EXPECT_NEAR(loss.value(state, LossKind::test), published(1 / d, 1 / d), 1e-14);
}

// The loss once more, over any number type; derivatives of it by complex step, which is exact.
template <class Number>
Number loss_of(const Regression& problem, const std::array<Number, 3>& x) {
  using Real = long double;
  const Real T = static_cast<Real>(problem.length), d = static_cast<Real>(problem.dimension);
  const Real B = static_cast<Real>(problem.repeat), p = problem.cross;
  const Number odds = (T - B) * std::exp(-x[2]), s = B / (odds + B), rest = odds / (odds + B);
  const bool two = problem.cross > 0;
  const Number first = s * x[0] - (two ? Real(1) : std::sqrt(d)),
               second = s * x[1] - (two ? std::sqrt(d - 1) : Real(0));
  const Real first_variance = two ? p + (1 - p) / d : 1 / d, second_variance = two ? (1 - p) / d : 0;
  return (rest * rest * (x[0] * x[0] + x[1] * x[1]) / (d * (T - B)) + first_variance * first * first +
          second_variance * second * second) /
         Real(2);
}

std::array<long double, 3> slope_of(const Regression& problem, const std::array<long double, 3>& x) {
  constexpr long double kStep = 1e-100L;
  std::array<long double, 3> slope{};
  for (size_t i = 0; i < 3; ++i) {
    std::array<std::complex<long double>, 3> moved = {x[0], x[1], x[2]};
    moved[i].imag(kStep);
    slope[i] = loss_of(problem, moved).imag() / kStep;
  }
  return slope;
}

// Sizes that the flow visits: w up to twice its target, gaps up to well beyond log T.
std::pair<Regression, ReducedState> any_place() {
  const Regression problem = any_problem();
  const auto fraction = [] { return static_cast<double>(*rc::gen::inRange(-1000, 1001)) / 1000; };
  ReducedState state;
  state.w[0] = 2 * fraction() * std::sqrt(static_cast<double>(problem.dimension));
  if (problem.cross > 0) state.w[1] = 2 * fraction() * std::sqrt(static_cast<double>(problem.dimension));
  state.gap = 20 * fraction();
  return {problem, state};
}

RC_GTEST_PROP(ReducedLoss, GradientIsTheDerivative, ()) {
  const auto [problem, state] = any_place();
  const ReducedLoss loss(problem);
  const auto expected = slope_of(problem, {state.w[0], state.w[1], state.gap});
  const ReducedState slope = loss.gradient(state);
  const double scale = 1e-12 * (1 + loss.value(state));
  RC_ASSERT(std::abs(slope.w[0] - static_cast<double>(expected[0])) <= scale);
  RC_ASSERT(std::abs(slope.w[1] - static_cast<double>(expected[1])) <= scale);
  RC_ASSERT(std::abs(slope.gap - static_cast<double>(expected[2])) <= scale);
}

RC_GTEST_PROP(ReducedLoss, HessianIsTheSecondDerivative, ()) {
  const auto [problem, state] = any_place();
  const ReducedLoss loss(problem);
  const ReducedHessian second = loss.hessian(state);
  const std::array<std::array<double, 3>, 3> matrix = {{{second.w_w[0], 0, second.w_gap[0]},
                                                        {0, second.w_w[1], second.w_gap[1]},
                                                        {second.w_gap[0], second.w_gap[1], second.gap_gap}}};
  for (size_t i = 0; i < 3; ++i) {
    constexpr long double kStep = 1e-5L;  // central differences in long double: error of order 1e-10 × the loss
    std::array<long double, 3> forward = {state.w[0], state.w[1], state.gap}, backward = forward;
    forward[i] += kStep;
    backward[i] -= kStep;
    const auto ahead = slope_of(problem, forward), behind = slope_of(problem, backward);
    for (size_t j = 0; j < 3; ++j)
      RC_ASSERT(std::abs(matrix[i][j] - static_cast<double>((ahead[j] - behind[j]) / (2 * kStep))) <=
                1e-9 * (1 + loss.value(state)));
  }
}

RC_GTEST_PROP(ReducedLoss, EigenvaluesAreThoseOfTheHessian, ()) {
  const auto [problem, state] = any_place();
  const ReducedLoss loss(problem);
  const ReducedHessian second = loss.hessian(state);
  const std::vector<double> values = loss.hessian_eigenvalues(state);
  RC_ASSERT(values.size() == (problem.cross > 0 ? 3u : 2u));
  RC_ASSERT(std::is_sorted(values.begin(), values.end()));
  double trace = second.gap_gap, squares = second.gap_gap * second.gap_gap, sum = 0, sum_of_squares = 0;
  for (size_t k = 0; k < loss.directions(); ++k) {
    trace += second.w_w[k];
    squares += second.w_w[k] * second.w_w[k] + 2 * second.w_gap[k] * second.w_gap[k];
  }
  for (const double value : values) {
    sum += value;
    sum_of_squares += value * value;
  }
  RC_ASSERT(std::abs(sum - trace) <= 1e-12 * (1e-300 + std::sqrt(squares)));
  RC_ASSERT(std::abs(sum_of_squares - squares) <= 1e-12 * squares);
}

RC_GTEST_PROP(ReducedLoss, EquilibriumHasNoSlopeInW, ()) {
  const auto [problem, state] = any_place();
  const ReducedLoss loss(problem);
  const ReducedState calm = loss.equilibrium(state.gap), slope = loss.gradient(calm);
  for (size_t k = 0; k < loss.directions(); ++k) {
    RC_ASSERT(calm.w[k] >= 0);
    // Both terms of the slope are of this size.
    RC_ASSERT(std::abs(slope.w[k]) <= 1e-12 * (loss.hessian(calm).w_w[k] * calm.w[k] + 1e-300));
  }
}

// The state has two numbers w and the gap behind them: a direction too many would be written there.
TEST(ReducedLoss, EquilibriumHasAsManyDirectionsAsTheProblem) {
  for (const double gap : {-3.0, 0.0, 2.5, 800.0}) {
    for (const double cross : {0.0, 0.25}) {
      const ReducedLoss loss({9, 5, 1, cross});
      const ReducedState calm = loss.equilibrium(gap);
      EXPECT_EQ(calm.gap, gap);
      EXPECT_GT(calm.w[0], 0);
      if (loss.directions() == 2) EXPECT_GT(calm.w[1], 0);
      else EXPECT_EQ(calm.w[1], 0);
      EXPECT_EQ(loss.hessian_eigenvalues(calm).size(), loss.directions() + 1);
    }
  }
}

RC_GTEST_PROP(ReducedLoss, StartsAtOneHalfForEveryProblem, ()) {
  const ReducedLoss loss(any_problem(1e9, 1e9));
  RC_ASSERT(std::abs(loss.value({}) - ReducedLoss::kStart) < 1e-12);
  RC_ASSERT(std::abs(loss.value({}, LossKind::test) - ReducedLoss::kStart) < 1e-12);
}

TEST(ReducedLoss, ProjectionAndTargetAreInverse) {
  for (const Regression problem : {Regression{64, 9, 1, 0}, Regression{64, 9, 2, 0.4}}) {
    const ReducedLoss loss(problem);
    EXPECT_NEAR(loss.projection(loss.along_target(2.5, 1)), 2.5, 1e-14);
    EXPECT_NEAR(loss.value(loss.along_target(3, 60)), 0, 1e-14) << "W = W*, and attention where it belongs";
  }
}

TEST(ReducedLoss, AttentionKeepsItsDigits) {
  const ReducedLoss loss({1000, 4, 10, 0});
  EXPECT_DOUBLE_EQ(loss.attention(0).relevant, 0.01);
  EXPECT_DOUBLE_EQ(loss.attention(0).rest, 0.99);
  EXPECT_NEAR(loss.attention(60).rest / (99 * std::exp(-60.0)), 1, 1e-12) << "where 1 − s would be 0";
  EXPECT_EQ(loss.attention(2000).relevant, 1);
  EXPECT_EQ(loss.attention(-2000).relevant, 0);
}

void expect_refused(const Regression& problem, const std::string& beginning) {
  try {
    ReducedLoss loss(problem);
    FAIL() << beginning;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(std::string(error.what()).starts_with(beginning)) << error.what();
  }
}

TEST(ReducedLoss, RefusesWhatIsNoProblem) {
  expect_refused({1, 4, 1, 0}, "length = 1 is not allowed: expected an integer from 2");
  expect_refused({int64_t{1} << 40, 4, 1, 0}, "length = 1099511627776 is not allowed");
  expect_refused({8, 0, 1, 0}, "dimension = 0 is not allowed");
  expect_refused({8, 4, 0, 0}, "repeat = 0 is not allowed");
  expect_refused({8, 4, 8, 0}, "repeat = 8 is not allowed: expected less than length = 8");
  expect_refused({8, 1, 1, 0.1}, "dimension = 1 is not allowed with cross = 0.1");
  for (const double cross :
       {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    expect_refused({8, 4, 1, cross}, "cross = ");
}

}  // namespace
}  // namespace atto
