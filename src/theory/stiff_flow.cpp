#include "theory/stiff_flow.h"

#include <cmath>

// Its run-time checks compare rounded results and give false alarms.
#define BOOST_UBLAS_NDEBUG 1
#include <boost/numeric/ublas/storage.hpp>

// The stiff solver keeps its vectors and matrices in this array, which Boost 1.74 cannot compile as C++20
// (std::allocator has lost what it calls). Four variables and their Jacobian fit a fixed one, which spares the heap as
// well.
namespace boost::numeric::ublas {
template <>
class unbounded_array<double> : public bounded_array<double, 16> {
  using bounded_array::bounded_array;
};
template <>
class unbounded_array<std::size_t> : public bounded_array<std::size_t, 16> {
  using bounded_array::bounded_array;
};
}  // namespace boost::numeric::ublas

#include <boost/numeric/odeint/stepper/rosenbrock4_dense_output.hpp>

#include "base/error.h"
#include "base/value.h"

namespace atto {
namespace {

namespace odeint = boost::numeric::odeint;
using Method = odeint::rosenbrock4<double>;
using Stepper = odeint::rosenbrock4_dense_output<odeint::rosenbrock4_controller<Method>>;
using Vector = Method::state_type;
using Matrix = Method::matrix_type;

// A plateau takes about a thousand steps, the way to the horizon 300,000 at the extremes; one that needs more has gone
// astray.
constexpr int64_t kMostSteps = 2'000'000;

}  // namespace

struct StiffFlow::Solver {
  FlowSystem system;
  Stepper stepper;
  int64_t steps = 0;
  double time = 0;            // asked for; between the stepper's previous and current time
  std::vector<double> state;  // there
  Vector within;              // scratch of inside()
  std::vector<double> scratch;

  explicit Solver(FlowSystem asked)
      : system(std::move(asked)),
        stepper(odeint::rosenbrock4_controller<Method>(kAbsoluteTolerance, kRelativeTolerance)),
        state(system.start),
        within(state.size()),
        scratch(state.size() * state.size()) {
    if (state.empty() || state.size() > FlowSystem::kMostVariables)
      throw Error(ErrorKind::internal, system.name + " has " + std::to_string(state.size()) + " variables");
    Vector start(state.size());
    for (size_t i = 0; i < state.size(); ++i) start[i] = state[i];
    stepper.initialize(start, 0.0, system.first_step);
  }

  [[noreturn]] void refuse(double when, const std::string& why) const {
    throw Error(ErrorKind::internal, system.name + " failed at time " + to_text(when) + ": " + why,
                "please report these numbers");
  }

  void step() {
    const double before = stepper.current_time();
    const size_t count = state.size();
    const auto slope = [this](const Vector& x, Vector& dx, double) { system.slope(&x[0], &dx[0]); };
    const auto jacobian = [this, count](const Vector& x, Matrix& j, double, Vector& dt) {
      system.jacobian(&x[0], scratch.data());
      for (size_t row = 0; row < count; ++row)
        for (size_t column = 0; column < count; ++column) j(row, column) = scratch[row * count + column];
      dt.clear();  // the flow does not depend on time itself
    };
    if (++steps > kMostSteps) refuse(before, "too many steps");
    try {
      stepper.do_step(std::make_pair(slope, jacobian));
    } catch (const odeint::odeint_error& error) {
      refuse(before, error.what());
    }
    if (!(stepper.current_time() > before)) refuse(before, "time stands still");
    for (const double x : stepper.current_state())
      if (!std::isfinite(x)) refuse(before, "a number is not finite");
  }
};

StiffFlow::StiffFlow(FlowSystem system) : solver_(std::make_unique<Solver>(std::move(system))) {}
StiffFlow::~StiffFlow() = default;

double StiffFlow::time() const { return solver_->time; }
std::span<const double> StiffFlow::state() const { return solver_->state; }
double StiffFlow::solved_to() const { return solver_->stepper.current_time(); }
void StiffFlow::step() { solver_->step(); }

std::span<const double> StiffFlow::inside(double when) {
  solver_->stepper.calc_state(when, solver_->within);
  return {&solver_->within[0], solver_->state.size()};
}

void StiffFlow::stand_at(double when) {
  const std::span<const double> there = inside(when);
  solver_->state.assign(there.begin(), there.end());
  solver_->time = when;
}

void StiffFlow::advance_to(double time) {
  if (!(time >= solver_->time) || std::isinf(time))
    throw Error(ErrorKind::internal, "the gradient flow stands at time " + to_text(solver_->time) +
                                         " and cannot move on to " + to_text(time));
  while (solved_to() < time) step();
  if (time > solver_->time) stand_at(time);
}

}  // namespace atto
