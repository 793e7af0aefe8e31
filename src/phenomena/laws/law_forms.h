// Which law do the cells follow best: a power law, an exponential, or a power law with a break?
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "phenomena/laws/power_law.h"

namespace atto {

struct LawComparison {
  std::vector<LawForm> forms;
  std::optional<LawKind> preferred;
  std::optional<LawBreak> broken;
};

// x is [n][k] ln of the terms, y [n] ln of the times. Several runs of a cell become one observation, their median, so
// that what a law misses in a cell is not counted once per seed; a censored median stays censored.
LawComparison compare_laws(const std::vector<std::string>& names, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<bool>& censored, const std::vector<size_t>& cells);

}  // namespace atto
