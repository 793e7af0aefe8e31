#include "theory/linear_theory.h"

#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

// B/(√d T) √under_the_root
double rate(const Regression& problem, double under_the_root) {
  const double share = static_cast<double>(problem.repeat) / static_cast<double>(problem.length);
  return share * std::sqrt(under_the_root / static_cast<double>(problem.dimension));
}

}  // namespace

double growth_rate(const Regression& problem) {
  validate(problem);
  const double d = static_cast<double>(problem.dimension), p = problem.cross;
  return rate(problem, p * p * d + (1 - p) * (1 - p));
}

double leading_growth_rate(const Regression& problem) {
  validate(problem);
  const double d = static_cast<double>(problem.dimension), p = problem.cross;
  return rate(problem, p * p * d + 1 - p * p);
}

ReducedState linear_state(const Regression& problem, double time) {
  const double lambda = leading_growth_rate(problem);
  // At the start the loss falls in proportion to σ_k c_k along w_k.
  const ReducedState slope = ReducedLoss(problem).gradient({});
  const double length = std::hypot(slope.w[0], slope.w[1]);
  const double sinh = std::sinh(lambda * time), half = std::sinh(lambda * time / 2);
  return {{-slope.w[0] / length * sinh, -slope.w[1] / length * sinh},
          2 * half * half};  // cosh x − 1, exact for small x
}

double escape_time(const Regression& problem, double threshold) {
  validate_threshold(threshold);
  const double lambda = growth_rate(problem);
  return std::asinh((1 - threshold) / lambda) / (2 * lambda);
}

void validate_threshold(double threshold) {
  if (!(threshold > 0 && threshold < 1))
    throw Error(ErrorKind::config,
                "threshold = " + to_text(threshold) + " is not allowed: expected a number above 0 and below 1",
                "it is the fraction of the starting loss that ends the plateau, 0.2 in the literature");
}

}  // namespace atto
