#include "theory/linear_theory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "base/error.h"
#include "theory/emergence_problems.h"
#include "theory/gradient_flow.h"

namespace atto {
namespace {

TEST(LinearTheory, HasThePublishedRates) {
  EXPECT_DOUBLE_EQ(growth_rate({512, 64, 1, 0}), 1 / (8.0 * 512));
  EXPECT_DOUBLE_EQ(growth_rate({512, 64, 4, 0}), 4 / (8.0 * 512));
  EXPECT_DOUBLE_EQ(growth_rate({512, 64, 1, 0.1}), std::sqrt(0.01 * 64 + 0.81) / (8 * 512));
  EXPECT_DOUBLE_EQ(growth_rate({512, 64, 1, 1}), 1 / 512.0) << "one direction, whatever the dimension";
}

TEST(LinearTheory, HasThePublishedEscapeTime) {
  const double scale = 8.0 * 512 / 4;  // √d T/B
  EXPECT_DOUBLE_EQ(escape_time({512, 64, 4, 0}, 0.2), scale / 2 * std::asinh(0.8 * scale));
}

// The start's Hessian couples w and Δa at this rate; what else it holds, the decay of w, is smaller by 1/(B√d) and B/T.
RC_GTEST_PROP(LinearTheory, LeadingRateIsTheHessiansAtTheStart, ()) {
  Regression problem = any_problem();
  const double lowest = ReducedLoss(problem).hessian_eigenvalues({}).front(), rate = leading_growth_rate(problem);
  const double share = static_cast<double>(problem.repeat) / static_cast<double>(problem.length);
  const double decay = 1 / (static_cast<double>(problem.repeat) * std::sqrt(static_cast<double>(problem.dimension)));
  RC_ASSERT(-lowest <= rate);
  RC_ASSERT(-lowest >= rate * (1 - 2 * share - decay));
  RC_ASSERT(rate >= growth_rate(problem) * (1 - 1e-15));
  if (problem.cross == 0) RC_ASSERT(rate == growth_rate(problem));
}

TEST(LinearTheory, IsTheFlowAtEarlyTimes) {
  for (const Regression problem :
       {Regression{100000, 10000, 1, 0}, Regression{100000, 100, 16, 0}, Regression{100000, 10000, 1, 0.2}}) {
    GradientFlow flow(problem);
    for (const double times_rate : {0.01, 0.03, 0.1}) {
      const double time = times_rate / leading_growth_rate(problem);
      const ReducedState linear = linear_state(problem, time), state = flow.advance_to(time);
      constexpr double kClose = 0.005;  // the next order is Δa/2, here 0.0025, and the decay of w
      for (size_t k = 0; k < flow.loss().directions(); ++k) EXPECT_NEAR(state.w[k] / linear.w[k], 1, kClose);
      EXPECT_NEAR(state.gap / linear.gap, 1, kClose);
    }
  }
}

// For ε small the closed form is the flow's crossing; far from the start it overestimates, as growth outruns sinh.
TEST(LinearTheory, EscapeTimeIsTheCrossingOfASmallFall) {
  const Regression problem{100000, 10000, 1, 0};  // λ = 1e-7
  EXPECT_NEAR(escape_time(problem, 1 - 1e-8) / *crossing(problem, 1 - 1e-8, LossKind::train), 1, 0.01);
  EXPECT_GT(escape_time(problem, 0.2), *crossing(problem, 0.2, LossKind::train));
}

TEST(LinearTheory, RefusesThresholdsOutsideZeroAndOne) {
  for (const double threshold : {0.0, 1.0, -0.2, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(escape_time({512, 64, 1, 0}, threshold), Error);
    EXPECT_THROW(crossing({512, 64, 1, 0}, threshold, LossKind::train), Error);
  }
  EXPECT_THROW(growth_rate({1, 64, 1, 0}), Error);
}

}  // namespace
}  // namespace atto
