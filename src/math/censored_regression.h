// Least squares for y = intercept + Σ slope_i x_i where some y are only known to lie above a bound (right-censored).
//
// Without censored rows this is ordinary (weighted) least squares. With them it is the maximum-likelihood fit under
// normal errors (Tobin 1958): a censored row contributes the probability that its y exceeds the bound. Leaving such
// rows out, or taking the bound for the value, would both pull the line down where the times are longest.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace atto {

struct RegressionFit {
  double intercept = 0;
  Eigen::VectorXd slopes;  // [k]
  double deviation = 0;    // of the errors, maximum likelihood: √(sum of squares / rows) where nothing is censored
  double log_likelihood = 0;
};

class CensoredRegression {
 public:
  // x is [n][k], without a column of ones; all numbers finite.
  CensoredRegression(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<bool>& censored);

  // How many of the k + 1 parameters the uncensored rows can tell apart: k + 1 or the fit does not exist.
  Eigen::Index rank() const;
  Eigen::Index parameters() const { return design_.cols(); }

  // Each row counted `weights` times (positive, [n]); nothing when the uncensored rows do not determine the line.
  std::optional<RegressionFit> fit(const Eigen::VectorXd& weights) const;
  std::optional<RegressionFit> fit() const { return fit(Eigen::VectorXd::Ones(y_.size())); }

 private:
  RegressionFit maximize(const Eigen::VectorXd& weights, const Eigen::VectorXd& start) const;
  RegressionFit in_given_units(const Eigen::VectorXd& coefficients, double deviation, double log_likelihood) const;

  // Columns are centred and scaled, and y centred, for the sake of rounding; the uncensored rows come first.
  Eigen::MatrixXd design_;  // [n][k + 1], the first column ones
  Eigen::VectorXd y_, centre_, scale_;
  double y_centre_ = 0;
  std::vector<Eigen::Index> order_;  // row of `design_` → row as given
  Eigen::Index known_ = 0;           // uncensored rows
};

}  // namespace atto
