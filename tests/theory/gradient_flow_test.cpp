#include "theory/gradient_flow.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "base/error.h"
#include "theory/emergence_problems.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

RC_GTEST_PROP(GradientFlow, LowersTheTrainingLossAllTheWay, ()) {
  GradientFlow flow(any_problem());
  double loss = ReducedLoss::kStart;
  const double unit = 1 / leading_growth_rate(flow.loss().problem());
  for (int i = 1; i <= 40; ++i) {
    const ReducedState state = flow.advance_to(unit * std::pow(1.3, i) / 100);
    const double now = flow.loss().value(state);
    RC_ASSERT(now <= loss * (1 + 1e-9));
    RC_ASSERT(now >= 0);
    loss = now;
  }
}

// dL/dt = −|∇L|²: over a short time the loss falls by what the slope says.
RC_GTEST_PROP(GradientFlow, FollowsTheGradient, ()) {
  GradientFlow flow(any_problem(1e4, 1e3));
  const double unit = 1 / leading_growth_rate(flow.loss().problem());
  const double middle = unit * static_cast<double>(any_size(1, 300)) / 100, half = 1e-3 * unit;
  const double before = flow.loss().value(flow.advance_to(middle - half / 2));
  const ReducedState slope = flow.loss().gradient(flow.advance_to(middle));
  const double curve = flow.loss().hessian_eigenvalues(flow.state()).back();
  const double after = flow.loss().value(flow.advance_to(middle + half / 2));
  const double power = slope.w[0] * slope.w[0] + slope.w[1] * slope.w[1] + slope.gap * slope.gap;
  RC_PRE(curve * half < 0.01);  // not where it bends within that time
  RC_ASSERT(std::abs((before - after) / half - power) <= 1e-3 * power + 1e-9 / half);
}

RC_GTEST_PROP(GradientFlow, CrossesWhereTheLossHasTheLevel, ()) {
  const Regression problem = any_problem();
  const double threshold = static_cast<double>(*rc::gen::inRange(1, 100)) / 100;
  const LossKind kind = *rc::gen::arbitrary<bool>() ? LossKind::train : LossKind::test;
  const std::optional<double> when = crossing(problem, threshold, kind);
  if (!when) {
    RC_ASSERT(kind == LossKind::test && problem.cross == 1);
    return;
  }
  GradientFlow flow(problem);
  const double level = threshold * ReducedLoss::kStart;
  RC_ASSERT(flow.loss().value(flow.advance_to(*when * (1 - 1e-9)), kind) >= level * (1 - 1e-12));
  RC_ASSERT(flow.loss().value(flow.advance_to(*when * (1 + 1e-9)), kind) <= level * (1 + 1e-12));
}

TEST(GradientFlow, StateAtATimeDoesNotDependOnWhatWasAskedBefore) {
  const Regression problem{512, 16, 2, 0.1};
  GradientFlow often(problem), once(problem);
  for (int step = 1; step <= 5000; ++step) often.advance_to(step);
  const ReducedState a = often.state(), b = once.advance_to(5000);
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.gap, b.gap);
  EXPECT_EQ(often.time(), 5000);
  EXPECT_EQ(often.advance_to(5000).gap, a.gap) << "the present may be asked for again";
}

TEST(GradientFlow, GoesOnAfterACrossing) {
  const Regression problem{512, 16, 1, 0};
  GradientFlow flow(problem), fresh(problem);
  const double high = *flow.advance_to_loss(0.25, LossKind::train), low = *flow.advance_to_loss(0.1, LossKind::train);
  EXPECT_LT(high, low);
  EXPECT_EQ(low, flow.time());
  EXPECT_NEAR(low, *crossing(problem, 0.2, LossKind::train), 1e-12 * low);
  EXPECT_EQ(flow.advance_to_loss(0.1, LossKind::train), low) << "already there";
  EXPECT_EQ(flow.advance_to(2 * low).gap, fresh.advance_to(2 * low).gap);
}

TEST(GradientFlow, MovesWBeforeAttention) {
  const Regression problem{512, 64, 1, 0};
  GradientFlow flow(problem);
  flow.advance_to(0.9 * *crossing(problem, 0.2, LossKind::train));
  EXPECT_GT(flow.state().w[0], 1);
  EXPECT_LT(flow.loss().attention(flow.state().gap).relevant, 0.05);
}

// After the fall w overshoots √d and then follows its equilibrium down.
TEST(GradientFlow, OvershootsThenFollowsTheEquilibrium) {
  const Regression problem{512, 16, 1, 0};
  GradientFlow flow(problem);
  const double unit = *crossing(problem, 0.2, LossKind::train);
  double highest = 0;
  for (int i = 0; i < 400; ++i) highest = std::max(highest, flow.advance_to(unit * (1 + i / 20.0)).w[0]);
  EXPECT_GT(highest, 4.01);
  flow.advance_to(100 * unit);
  EXPECT_NEAR(flow.state().w[0], flow.loss().equilibrium(flow.state().gap).w[0], 1e-3);
  EXPECT_LT(flow.state().w[0], highest);
}

TEST(GradientFlow, ALossThatNeverFallsIsToldInsteadOfAwaited) {
  for (const Regression problem : {Regression{16, 1000, 1, 1}, Regression{1000000, 100000, 1, 1}}) {
    EXPECT_EQ(crossing(problem, 0.2, LossKind::test), std::nullopt) << "only the repeated token is ever seen";
    EXPECT_TRUE(crossing(problem, 0.2, LossKind::train));
  }
  const Regression slow{512, 64, 1, 0};
  EXPECT_EQ(crossing(slow, 0.2, LossKind::train, 5000), std::nullopt);
  EXPECT_TRUE(crossing(slow, 0.2, LossKind::train, 6000));
  EXPECT_EQ(crossing(slow, 0.2, LossKind::train, 0), std::nullopt);
  GradientFlow flow(slow);
  EXPECT_EQ(flow.advance_to_loss(0.1, LossKind::train, 5000), std::nullopt);
  EXPECT_EQ(flow.time(), 5000) << "it stands at the horizon";
  EXPECT_TRUE(flow.advance_to_loss(0.1, LossKind::train));
}

TEST(GradientFlow, RareTokensAreLearntLate) {
  // p close to 1: the rest of W* is seen once in 1/(1−p) samples, and takes that much longer.
  const double often = *crossing({16, 1000, 1, 0.99}, 0.2, LossKind::test);
  const double seldom = *crossing({16, 1000, 1, 0.999999}, 0.2, LossKind::test);
  EXPECT_NEAR(seldom / often, 1e4, 1e3);
}

TEST(GradientFlow, BearsEverySize) {
  for (const int64_t length : {int64_t{2}, int64_t{1000000}, int64_t{1000000000}})
    for (const int64_t dimension : {int64_t{1}, int64_t{2}, int64_t{100000}, int64_t{1000000000}})
      for (const int64_t repeat : {int64_t{1}, length - 1})
        for (const double cross : {0.0, 1e-300, 0.5, 1 - 1e-9}) {
          if (cross > 0 && dimension < 2) continue;
          const auto when = crossing({length, dimension, repeat, cross}, 0.2, LossKind::train);
          ASSERT_TRUE(when) << length << " " << dimension << " " << repeat << " " << cross;
          EXPECT_TRUE(std::isfinite(*when) && *when > 0);
        }
}

TEST(GradientFlow, RepetitionActsAsAShorterSequence) {
  const double plain = *crossing({1024, 32, 1, 0}, 0.2, LossKind::train);
  const double repeated = *crossing({4096, 32, 4, 0}, 0.2, LossKind::train);
  EXPECT_NEAR(repeated / plain, 1, 0.05);
}

// Each of B free scores gets 1/B of the gradient, so that the growth rate has √B and not B.
TEST(GradientFlow, CopiesWithScoresOfTheirOwnCountByTheirRoot) {
  const auto free = [](const Regression& problem) {
    return *crossing(problem, 0.2, LossKind::train, GradientFlow::kHorizon, Scores::free);
  };
  EXPECT_NEAR(free({4096, 32, 16, 0}) / free({1024, 32, 1, 0}), 1, 0.05);
  EXPECT_NEAR(free({4096, 32, 1, 0}) / *crossing({4096, 32, 1, 0}, 0.2, LossKind::train), 1, 1e-3);
}

TEST(GradientFlow, RefusesThePastAndTheUnreal) {
  GradientFlow flow({512, 16, 1, 0});
  flow.advance_to(10);
  EXPECT_THROW(flow.advance_to(9), Error);
  EXPECT_THROW(flow.advance_to(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(flow.advance_to(std::numeric_limits<double>::infinity()), Error);
  EXPECT_EQ(flow.time(), 10);
  EXPECT_THROW(GradientFlow({512, 16, 512, 0}), Error);
}

}  // namespace
}  // namespace atto
