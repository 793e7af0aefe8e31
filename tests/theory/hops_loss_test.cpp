// The loss of several hops against the full network in expectation, against the loss of one hop, and its derivatives.
#include "theory/hops_loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <complex>

#include "base/error.h"
#include "theory/emergence_problems.h"

namespace atto::hops_loss_test {
namespace {

// ½E‖y − y*‖² with W = (w/√d) W*, from first principles: a sum over all tokens, which are independent with zero mean.
double full_loss(const std::vector<int64_t>& lengths, double d, double w, const std::vector<double>& gaps) {
  std::vector<double> weights = {1};  // of all tokens, the relevant one first
  for (size_t i = 0; i < lengths.size(); ++i) {
    const double total = std::exp(gaps[i]) + static_cast<double>(lengths[i] - 1);
    std::vector<double> next;
    for (int64_t t = 0; t < lengths[i]; ++t)
      for (const double weight : weights) next.push_back(weight * (t == 0 ? std::exp(gaps[i]) : 1.0) / total);
    weights = next;
  }
  double loss = 0;
  for (size_t token = 0; token < weights.size(); ++token) {
    const double error = weights[token] * w / std::sqrt(d) - (token == 0 ? 1 : 0);
    loss += error * error / 2;  // ‖W* x‖² = 1 in expectation
  }
  return loss;
}

TEST(HopsLoss, IsTheFullNetworksInExpectation) {
  const std::vector<double> gaps = {0.7, -0.4, 1.9};
  for (const std::vector<int64_t>& lengths : {std::vector<int64_t>{5}, {5, 7}, {2, 3, 6}})
    for (const double w : {-0.8, 0.0, 2.6}) {
      HopsState state;
      state.w = w;
      std::copy_n(gaps.begin(), lengths.size(), state.gap.begin());
      const std::vector<double> used(gaps.begin(), gaps.begin() + static_cast<ptrdiff_t>(lengths.size()));
      EXPECT_NEAR(HopsLoss(lengths, 4).value(state), full_loss(lengths, 4, w, used), 1e-14);
    }
}

RC_GTEST_PROP(HopsLoss, OfOneHopIsTheReducedLoss, ()) {
  Regression problem = any_problem();
  problem.repeat = 1;
  problem.cross = 0;
  const ReducedLoss reduced(problem);
  const HopsLoss loss({problem.length}, problem.dimension);
  HopsState state;
  state.w = static_cast<double>(*rc::gen::inRange(-200, 201)) / 50;
  state.gap[0] = static_cast<double>(*rc::gen::inRange(-200, 201)) / 10;
  const ReducedState same{{state.w, 0}, state.gap[0]};
  const double scale = 1e-12 * (1 + reduced.value(same));
  RC_ASSERT(std::abs(loss.value(state) - reduced.value(same)) <= scale);
  RC_ASSERT(std::abs(loss.gradient(state).w - reduced.gradient(same).w[0]) <= scale);
  RC_ASSERT(std::abs(loss.gradient(state).gap[0] - reduced.gradient(same).gap) <= scale);
  const auto values = loss.hessian_eigenvalues(state), expected = reduced.hessian_eigenvalues(same);
  for (size_t i = 0; i < 2; ++i) RC_ASSERT(std::abs(values[i] - expected[i]) <= scale);
  RC_ASSERT(std::abs(loss.equilibrium(state) - reduced.equilibrium(same.gap).w[0]) <= 1e-10 * loss.equilibrium(state));
}

// The loss once more, as the comment of the header has it, over any number type.
using Real = long double;
template <class Number>
Number loss_of(const std::vector<int64_t>& lengths, Real d, const std::vector<Number>& x) {
  Number product = 1, all = 1;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Real others = static_cast<Real>(lengths[i] - 1);
    const Number odds = others * std::exp(-x[i + 1]), s = Real(1) / (odds + Real(1)), rest = odds / (odds + Real(1));
    product *= s;
    all *= s * s + rest * rest / others;
  }
  const Number miss = product * x[0] - std::sqrt(d);
  return ((all - product * product) * x[0] * x[0] + miss * miss) / (Real(2) * d);
}

std::vector<Real> slope_of(const std::vector<int64_t>& lengths, Real d, const std::vector<Real>& x) {
  constexpr Real kStep = 1e-100L;
  std::vector<Real> slope;
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<std::complex<Real>> moved(x.begin(), x.end());
    moved[i].imag(kStep);
    slope.push_back(loss_of(lengths, d, moved).imag() / kStep);
  }
  return slope;
}

RC_GTEST_PROP(HopsLoss, DerivativesAreThoseOfTheLoss, ()) {
  const size_t hops = static_cast<size_t>(*rc::gen::inRange(1, 4));
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < hops; ++i) lengths.push_back(any_size(2, 1e4));
  const int64_t dimension = any_size(1, 1e4);
  HopsState state;
  state.w = static_cast<double>(*rc::gen::inRange(-200, 201)) / 100 * std::sqrt(static_cast<double>(dimension));
  for (size_t i = 0; i < hops; ++i) state.gap[i] = static_cast<double>(*rc::gen::inRange(-200, 201)) / 10;

  const HopsLoss loss(lengths, dimension);
  const Real d = static_cast<Real>(dimension);
  std::vector<Real> x = {state.w};
  for (size_t i = 0; i < hops; ++i) x.push_back(state.gap[i]);
  const double scale = 1 + loss.value(state);
  RC_ASSERT(std::abs(loss.value(state) - static_cast<double>(loss_of(lengths, d, x))) <= 1e-12 * scale);
  const HopsState slope = loss.gradient(state);
  const std::vector<Real> expected = slope_of(lengths, d, x);
  RC_ASSERT(std::abs(slope.w - static_cast<double>(expected[0])) <= 1e-12 * scale);
  for (size_t i = 0; i < hops; ++i)
    RC_ASSERT(std::abs(slope.gap[i] - static_cast<double>(expected[i + 1])) <= 1e-12 * scale);

  const std::vector<double> second = loss.hessian(state);
  for (size_t i = 0; i <= hops; ++i) {
    constexpr Real kStep = 1e-5L;  // central differences in long double
    std::vector<Real> ahead = x, behind = x;
    ahead[i] += kStep;
    behind[i] -= kStep;
    const auto forward = slope_of(lengths, d, ahead), backward = slope_of(lengths, d, behind);
    for (size_t j = 0; j <= hops; ++j)
      RC_ASSERT(std::abs(second[i * (hops + 1) + j] - static_cast<double>((forward[j] - backward[j]) / (2 * kStep))) <=
                1e-9 * scale);
  }
}

TEST(HopsLoss, KnowsItsAttention) {
  const HopsLoss loss({4, 8}, 3);
  HopsState state;
  EXPECT_DOUBLE_EQ(loss.relevant(state), 1.0 / 32);
  EXPECT_NEAR(loss.entropy(state), std::log(32.0), 1e-14);
  EXPECT_DOUBLE_EQ(loss.value(state), HopsLoss::kStart);
  state.gap = {60, 60, 0};
  EXPECT_NEAR(loss.relevant(state), 1, 1e-14);
  EXPECT_NEAR(loss.entropy(state), 0, 1e-14);
  EXPECT_GT(loss.gradient(state).w, -1) << "finite";
  state.w = loss.equilibrium(state);
  EXPECT_NEAR(loss.gradient(state).w, 0, 1e-14);
  EXPECT_NEAR(loss.value(state), 0, 1e-14);
}

TEST(HopsLoss, RefusesWhatIsNoProblem) {
  EXPECT_THROW(HopsLoss({}, 4), Error);
  EXPECT_THROW(HopsLoss({4, 4, 4, 4}, 4), Error);
  EXPECT_THROW(HopsLoss({4, 1}, 4), Error);
  EXPECT_THROW(HopsLoss({4}, 0), Error);
}

}  // namespace
}  // namespace atto::hops_loss_test
