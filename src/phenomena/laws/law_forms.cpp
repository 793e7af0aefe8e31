#include "phenomena/laws/law_forms.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "math/censored_regression.h"
#include "phenomena/outcomes/summarise.h"

namespace atto {
namespace {

// A rival must beat the power law by this much AICc. A break is the best of many tried, so differences of a few units
// arise by chance: by 6 in about 1 % of power laws with normal errors (9 to 27 cells, 1 to 3 terms), and in 6 % where a
// third of 9 cells is censored, in which case two sizes must tell one curve from another.
constexpr double kMargin = 6;
constexpr size_t kMostBreaks = 60;  // tried per term

struct Observations {
  Eigen::MatrixXd x;
  Eigen::VectorXd y;
  std::vector<bool> censored;
};

Observations cell_medians(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<bool>& censored,
                          const std::vector<size_t>& cells) {
  struct Cell {
    Eigen::Index row;
    Outcomes times;
  };
  std::map<size_t, Cell> by_cell;
  for (Eigen::Index row = 0; row < y.size(); ++row) {
    Cell& cell = by_cell.try_emplace(cells[static_cast<size_t>(row)], Cell{row, {}}).first->second;
    cell.times.push_back({y(row), censored[static_cast<size_t>(row)]});
  }
  Observations made{Eigen::MatrixXd(std::ssize(by_cell), x.cols()), Eigen::VectorXd(std::ssize(by_cell)), {}};
  Eigen::Index next = 0;
  for (const auto& [id, cell] : by_cell) {
    const Estimate median = summarise(cell.times, Statistic::median);
    made.x.row(next) = x.row(cell.row);
    made.y(next++) = median.beyond() ? median.reached : median.value;
    made.censored.push_back(median.beyond());
  }
  return made;
}

// Akaike's criterion, corrected for few observations; `parameters` counts the deviation too.
std::optional<double> aicc(double log_likelihood, double parameters, double observations) {
  const double spare = observations - parameters - 1;
  if (spare <= 0) return std::nullopt;
  return -2 * log_likelihood + 2 * parameters + 2 * parameters * (parameters + 1) / spare;
}

std::optional<RegressionFit> fit_with(const Observations& data, const Eigen::MatrixXd& x) {
  const CensoredRegression regression(x, data.y, data.censored);
  return regression.rank() == regression.parameters() ? regression.fit() : std::nullopt;
}

// Places for a break in a column: its inner values and two points between each pair of these, so that either side keeps
// at least two sizes.
std::vector<double> candidate_breaks(const Eigen::VectorXd& column) {
  std::vector<double> values(column.data(), column.data() + column.size());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end(), [](double a, double b) { return b - a < 1e-9; }),
               values.end());
  std::vector<double> breaks;
  for (size_t i = 1; i + 1 < values.size(); ++i) {
    breaks.push_back(values[i]);
    if (i + 2 < values.size())
      for (const double share : {1.0 / 3, 2.0 / 3}) breaks.push_back(values[i] + share * (values[i + 1] - values[i]));
  }
  if (breaks.size() <= kMostBreaks) return breaks;
  std::vector<double> thinned;
  for (size_t i = 0; i < kMostBreaks; ++i) thinned.push_back(breaks[i * (breaks.size() - 1) / (kMostBreaks - 1)]);
  return thinned;
}

struct Broken {
  RegressionFit fit;
  LawBreak place;
};

// ln y = a + Σ b_i ln x_i + c · max(0, ln x_j - ln break): the likeliest of all j and breaks.
std::optional<Broken> best_break(const std::vector<std::string>& names, const Observations& data) {
  std::optional<Broken> best;
  Eigen::MatrixXd x(data.x.rows(), data.x.cols() + 1);
  x.leftCols(data.x.cols()) = data.x;
  for (Eigen::Index term = 0; term < data.x.cols(); ++term) {
    for (const double at : candidate_breaks(data.x.col(term))) {
      x.col(data.x.cols()) = (data.x.col(term).array() - at).max(0);
      const auto fit = fit_with(data, x);
      if (!fit || (best && fit->log_likelihood <= best->fit.log_likelihood)) continue;
      const double before = fit->slopes(term);
      best =
          Broken{*fit, {names[static_cast<size_t>(term)], std::exp(at), before, before + fit->slopes(data.x.cols())}};
    }
  }
  return best;
}

}  // namespace

LawComparison compare_laws(const std::vector<std::string>& names, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<bool>& censored, const std::vector<size_t>& cells) {
  const Observations data = cell_medians(x, y, censored, cells);
  const auto known = std::count(data.censored.begin(), data.censored.end(), false);
  const auto observations = static_cast<double>(known), plain = static_cast<double>(x.cols()) + 2;
  LawComparison result;
  const auto add = [&](LawKind kind, const std::optional<RegressionFit>& fit, double parameters) {
    result.forms.push_back({kind, fit ? aicc(fit->log_likelihood, parameters, observations) : std::nullopt});
  };
  add(LawKind::power_law, fit_with(data, data.x), plain);
  // The law in x itself; large x are scaled, which changes no likelihood.
  Eigen::MatrixXd raw = data.x.array().exp();
  add(LawKind::exponential, raw.allFinite() ? fit_with(data, raw) : std::nullopt, plain);
  const std::optional<Broken> broken = best_break(names, data);
  add(LawKind::broken_power_law, broken ? std::optional(broken->fit) : std::nullopt, plain + 2);
  if (broken && result.forms.back().aicc) result.broken = broken->place;

  if (!result.forms[0].aicc || (!result.forms[1].aicc && !result.forms[2].aicc)) return result;
  const LawForm* best = &result.forms[0];
  for (const LawForm& form : result.forms)
    if (form.aicc && *form.aicc < *result.forms[0].aicc - kMargin && *form.aicc < *best->aicc) best = &form;
  result.preferred = best->kind;
  return result;
}

}  // namespace atto
