#include "theory/gradient_flow.h"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "base/error.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

// Variables [w_1, (w_2,) Δa].
ReducedState unpack(const double* x, size_t directions) {
  ReducedState state;
  for (size_t k = 0; k < directions; ++k) state.w[k] = x[k];
  state.gap = x[directions];
  return state;
}

// How fast Δa follows its gradient.
double gap_speed(const Regression& problem, Scores scores) {
  const auto copies = static_cast<double>(problem.repeat), others = static_cast<double>(problem.length) - copies;
  return scores == Scores::shared ? 1 : 1 / copies + 1 / others;
}

FlowSystem reduced_system(const ReducedLoss& loss, const ReducedState& start, Scores scores) {
  FlowSystem system;
  std::string text;
  for (const SchemaField<Regression>& field : regression_schema().all())
    text += (text.empty() ? "" : ", ") + field.key + " = " + to_text(field.get(loss.problem()));
  system.name = "the gradient flow of " + text;
  const size_t last = loss.directions(), count = last + 1;
  system.start.assign(start.w.begin(), start.w.begin() + static_cast<ptrdiff_t>(last));
  system.start.push_back(start.gap);
  system.first_step = 1e-3 / leading_growth_rate(loss.problem());
  const double speed = gap_speed(loss.problem(), scores);
  system.slope = [loss, last, speed](const double* x, double* slope) {
    const ReducedState gradient = loss.gradient(unpack(x, last));
    for (size_t k = 0; k < last; ++k) slope[k] = -gradient.w[k];
    slope[last] = -speed * gradient.gap;
  };
  system.jacobian = [loss, last, count, speed](const double* x, double* jacobian) {
    const ReducedHessian second = loss.hessian(unpack(x, last));
    std::fill(jacobian, jacobian + count * count, 0.0);
    for (size_t k = 0; k < last; ++k) {
      jacobian[k * count + k] = -second.w_w[k];
      jacobian[k * count + last] = -second.w_gap[k];
      jacobian[last * count + k] = -speed * second.w_gap[k];
    }
    jacobian[last * count + last] = -speed * second.gap_gap;
  };
  return system;
}

}  // namespace

GradientFlow::GradientFlow(const Regression& problem, const ReducedState& start, Scores scores)
    : loss_(problem), flow_(reduced_system(loss_, start, scores)), state_(start) {}

const ReducedState& GradientFlow::stand() { return state_ = unpack(flow_.state().data(), loss_.directions()); }

const ReducedState& GradientFlow::advance_to(double time) {
  flow_.advance_to(time);
  return stand();
}

std::optional<double> GradientFlow::advance_to_loss(double level, LossKind kind, double horizon) {
  if (loss_.value(state_, kind) <= level) return time();
  const auto excess = [&](double when) {
    return loss_.value(unpack(flow_.inside(when).data(), loss_.directions()), kind) - level;
  };
  // Looks at the ends of steps: a dip that begins and ends within one, too shallow for the tolerances to notice, is
  // passed over.
  double before = time();
  while (before < horizon) {
    const double end = std::min(flow_.solved_to(), horizon);
    if (end > before && excess(end) <= 0) {
      const auto root_tolerance = boost::math::tools::eps_tolerance<double>(48);
      std::uintmax_t evaluations = 200;
      const double low = excess(before), high = excess(end);
      const double when =
          high == 0
              ? end
              : boost::math::tools::toms748_solve(excess, before, end, low, high, root_tolerance, evaluations).second;
      flow_.stand_at(when);
      stand();
      return when;
    }
    before = end;
    if (before < horizon) flow_.step();
  }
  advance_to(std::max(horizon, time()));
  return std::nullopt;
}

std::optional<double> crossing(const Regression& problem, double threshold, LossKind kind, double horizon,
                               Scores scores) {
  validate_threshold(threshold);
  return GradientFlow(problem, {}, scores).advance_to_loss(threshold * ReducedLoss::kStart, kind, horizon);
}

}  // namespace atto
