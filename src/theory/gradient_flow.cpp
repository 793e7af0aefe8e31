#include "theory/gradient_flow.h"

#include <cmath>

// Its run-time checks compare rounded results and give false alarms.
#define BOOST_UBLAS_NDEBUG 1
#include <boost/numeric/ublas/storage.hpp>

// The stiff solver keeps its vectors and matrices in this array, which Boost 1.74 cannot compile as C++20
// (std::allocator has lost what it calls). Three variables and their Jacobian fit a fixed one, which spares the heap as
// well.
namespace boost::numeric::ublas {
template <>
class unbounded_array<double> : public bounded_array<double, 9> {
  using bounded_array::bounded_array;
};
template <>
class unbounded_array<std::size_t> : public bounded_array<std::size_t, 9> {
  using bounded_array::bounded_array;
};
}  // namespace boost::numeric::ublas

#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4_dense_output.hpp>

#include "base/error.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

namespace odeint = boost::numeric::odeint;
using Method = odeint::rosenbrock4<double>;
using Stepper = odeint::rosenbrock4_dense_output<odeint::rosenbrock4_controller<Method>>;
using Vector = Method::state_type;   // [w_1, (w_2,) Δa]
using Matrix = Method::matrix_type;  // of the same order

// A plateau takes about a thousand steps, the way to the horizon 300,000 at the extremes; one that needs more has gone
// astray.
constexpr int64_t kMostSteps = 2'000'000;

ReducedState unpack(const Vector& vector) {
  ReducedState state;
  for (size_t k = 0; k + 1 < vector.size(); ++k) state.w[k] = vector[k];
  state.gap = vector[vector.size() - 1];
  return state;
}

[[noreturn]] void refuse(const Regression& problem, double time, const std::string& why) {
  std::string text;
  for (const SchemaField<Regression>& field : regression_schema().all())
    text += (text.empty() ? "" : ", ") + field.key + " = " + to_text(field.get(problem));
  throw Error(ErrorKind::internal, "the gradient flow of " + text + " failed at time " + to_text(time) + ": " + why,
              "please report these numbers");
}

}  // namespace

struct GradientFlow::Solver {
  ReducedLoss loss;
  Stepper stepper;
  int64_t steps = 0;
  double time = 0;     // asked for; between the stepper's previous and current time
  ReducedState state;  // there

  explicit Solver(const Regression& problem)
      : loss(problem), stepper(odeint::rosenbrock4_controller<Method>(kAbsoluteTolerance, kRelativeTolerance)) {
    const Vector start(loss.directions() + 1, 0.0);
    stepper.initialize(start, 0.0, 1e-3 / leading_growth_rate(problem));
  }

  void step() {
    const double before = stepper.current_time();
    const auto slope = [this](const Vector& x, Vector& dx, double) {
      const ReducedState gradient = loss.gradient(unpack(x));
      for (size_t k = 0; k + 1 < x.size(); ++k) dx[k] = -gradient.w[k];
      dx[x.size() - 1] = -gradient.gap;
    };
    const auto jacobian = [this](const Vector& x, Matrix& j, double, Vector& dt) {
      const ReducedHessian second = loss.hessian(unpack(x));
      const size_t last = x.size() - 1;
      j.clear();
      for (size_t k = 0; k < last; ++k) {
        j(k, k) = -second.w_w[k];
        j(k, last) = j(last, k) = -second.w_gap[k];
      }
      j(last, last) = -second.gap_gap;
      dt.clear();  // the flow does not depend on time itself
    };
    if (++steps > kMostSteps) refuse(loss.problem(), before, "too many steps");
    try {
      stepper.do_step(std::make_pair(slope, jacobian));
    } catch (const odeint::odeint_error& error) {
      refuse(loss.problem(), before, error.what());
    }
    if (!(stepper.current_time() > before)) refuse(loss.problem(), before, "time stands still");
    for (const double x : stepper.current_state())
      if (!std::isfinite(x)) refuse(loss.problem(), before, "a number is not finite");
  }

  // `when` lies within the last step.
  ReducedState inside(double when) {
    Vector x(loss.directions() + 1);
    stepper.calc_state(when, x);
    return unpack(x);
  }

  void stand_at(double when) {
    state = inside(when);
    time = when;
  }
};

GradientFlow::GradientFlow(const Regression& problem) : solver_(std::make_unique<Solver>(problem)) {}
GradientFlow::~GradientFlow() = default;

const ReducedLoss& GradientFlow::loss() const { return solver_->loss; }
double GradientFlow::time() const { return solver_->time; }
const ReducedState& GradientFlow::state() const { return solver_->state; }

const ReducedState& GradientFlow::advance_to(double time) {
  if (!(time >= solver_->time) || std::isinf(time))
    throw Error(ErrorKind::internal, "the gradient flow stands at time " + to_text(solver_->time) +
                                         " and cannot move on to " + to_text(time));
  while (solver_->stepper.current_time() < time) solver_->step();
  if (time > solver_->time) solver_->stand_at(time);
  return solver_->state;
}

std::optional<double> GradientFlow::advance_to_loss(double level, LossKind kind, double horizon) {
  Solver& solver = *solver_;
  if (solver.loss.value(solver.state, kind) <= level) return solver.time;
  const auto excess = [&](double when) { return solver.loss.value(solver.inside(when), kind) - level; };
  // Looks at the ends of steps: a dip that begins and ends within one, too shallow for the tolerances to notice, is
  // passed over.
  double before = solver.time;
  while (before < horizon) {
    const double end = std::min(solver.stepper.current_time(), horizon);
    if (end > before && excess(end) <= 0) {
      const auto root_tolerance = boost::math::tools::eps_tolerance<double>(48);
      std::uintmax_t evaluations = 200;
      const double low = excess(before), high = excess(end);
      const double when =
          high == 0
              ? end
              : boost::math::tools::toms748_solve(excess, before, end, low, high, root_tolerance, evaluations).second;
      solver.stand_at(when);
      return when;
    }
    before = end;
    if (before < horizon) solver.step();
  }
  advance_to(std::max(horizon, solver.time));
  return std::nullopt;
}

std::optional<double> crossing(const Regression& problem, double threshold, LossKind kind, double horizon) {
  validate_threshold(threshold);
  return GradientFlow(problem).advance_to_loss(threshold * ReducedLoss::kStart, kind, horizon);
}

}  // namespace atto
