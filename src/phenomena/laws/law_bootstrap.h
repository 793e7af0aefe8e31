// The parts of a law's bootstrap that one law and two laws share. Internal to power_law.cpp and law_difference.cpp.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "phenomena/laws/law_observations.h"

namespace atto {

struct LawNumbers {
  Eigen::VectorXd coefficients;  // ln constant, exponents
  double log_rest = 0;           // ln(1 - R²)
  double deviation = 0;
};

// Both regressions of a law, fitted as often as asked.
class LawFitter {
 public:
  explicit LawFitter(const LawObservations& data);
  // With a weight for each row; all one without any. Nothing where the known times do not determine the law.
  std::optional<LawNumbers> fit(const Eigen::VectorXd& weights) const;
  std::optional<LawNumbers> fit() const { return fit(Eigen::VectorXd::Ones(rows_)); }

 private:
  Eigen::Index rows_;
  CensoredRegression law_, constant_;
};

// Weight of a cell in resample number `draw`: the sum of four exponential numbers, less uneven than one, which keeps
// the resamples in the range where the estimates depend on the weights linearly, for which the stretch below is exact.
double cell_weight(uint64_t seed, int64_t draw, size_t cell);
// What the spread of so weighted estimates over n cells is to be multiplied by, to be that of the estimate.
double weight_spread(size_t cells);

// How a coefficient hangs on the cells: a_g, and what the fit leaves of an error in each cell, M = 1 - H. Cells are
// points with weight m_g (their known runs); a and M are for errors times √m_g. Only cells with known times are in it.
struct CellInfluence {
  std::vector<size_t> cells;  // as numbered in the observations
  Eigen::MatrixXd a;          // [parameter][cell]
  Eigen::MatrixXd rest;       // [cell][cell]
};
CellInfluence cell_influence(const LawObservations& data);

// By how much the quantiles of the weighted bootstrap must be moved out, and the degrees of freedom they have. The
// bootstrap's variance is about Σ_g (L e)_g², row g of `moves` what errors e do to the estimate through cell g. For
// errors of equal variance its mean falls short of the truth, `variance`, by the factor `kept`, and it varies like a
// chi-squared with tr(Q)²/tr(Q²) degrees of freedom, Q = L Lᵀ.
struct Stretch {
  double factor = 1, freedom = 1;
};
Stretch stretch_of(const Eigen::MatrixXd& moves, double variance, double confidence);

}  // namespace atto
