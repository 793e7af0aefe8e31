// The runs that can take part in the fit of a law, in logarithms. Internal to power_law.cpp.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "math/censored_regression.h"
#include "phenomena/laws/power_law.h"

namespace atto {

struct LawObservations {
  Eigen::MatrixXd x;           // [n][k]
  Eigen::VectorXd y;           // [n]
  std::vector<bool> censored;  // [n]
  std::vector<size_t> cells;   // [n], numbered 0 .. cell_count - 1
  size_t cell_count = 0;

  CensoredRegression regression() const { return {x, y, censored}; }
  LawObservations without(const std::vector<bool>& left_out) const;
};

// Counts every run in `law` and keeps those that have a logarithm.
LawObservations gather_observations(size_t terms, const std::vector<LawRun>& runs, PowerLaw& law);

// The runs with those that have no time given one: the earliest or the latest that is known of any run, whichever
// pushes the law's coefficient (0: the constant, then the exponents) up, or down.
std::vector<LawRun> with_unknown_at(const std::vector<LawRun>& runs, size_t coefficient, bool up);

// Why these runs cannot tell the law, or "".
std::string obstacle_to_law(const std::vector<std::string>& names, const LawObservations& data, const PowerLaw& law);

}  // namespace atto
