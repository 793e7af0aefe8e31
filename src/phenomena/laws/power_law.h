// How a time grows with sizes: y = constant · Π x_i^exponent_i, by least squares in log space over the runs of a sweep.
//
// Runs that ended before the event (censored) enter by the probability that it comes later (censored_regression.h).
//
// The intervals are a bootstrap over cells, the settings of a sweep, with all runs of a cell kept together: runs of a
// cell share whatever the law misses there, so drawing runs one by one would take a systematic misfit for noise that
// more seeds average away, and drawing cells and then runs within them would count the spread within cells twice (once
// in the cells' means, once more in the drawing). Cells are not drawn whole but weighted at random (the
// fractional-random-weight bootstrap, Xu et al. 2020, doi:10.1080/00031305.2020.1731599): a sweep is a small designed
// grid, and a resample without its largest size, or with its uncensored runs gone, would have no answer. The quantiles
// are then stretched about the estimate, for a bootstrap of few cells is too narrow: it loses what the fit absorbs
// (leverage), and a spread known from few cells needs Student's quantiles. The stretch makes up for both exactly where
// the errors of all cells are independent and equally large (Bell and McCaffrey's degrees of freedom; Imbens and
// Kolesár 2016, doi:10.1162/REST_a_00552).
//
// The 95 % intervals of constant and exponents hold the truth in 95 % of simulated sweeps, within the noise of 1,000 of
// them, with 9 or 25 cells, with several runs a cell that share an error, and with a quarter of the runs censored (the
// tests hold them to it; docs/judging.md has more).
// Fewer cells, heavier censoring and errors of unequal size were looked at only with a slightly wider stretch: there
// the intervals of the exponents were wide or right, and those of R² too narrow for errors that grow across the sweep.
// Where runs are deterministic (gradient flow) there is no noise, and the interval tells how far the exponents depend
// on the sizes that were chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/words.h"
#include "math/statistics.h"
#include "phenomena/outcomes/outcome.h"

namespace atto {

struct LawRun {
  std::vector<double> terms;  // x_1 .. x_k of its cell
  Outcome time;
  size_t cell = 0;  // runs of one cell have the same terms
};

// A number of a law. Runs that have no time could have had any between the earliest and the latest that the fit knows:
// the interval holds what the number would be with them where they push it up, and down, most.
struct LawNumber : Interval {
  double freedom = 1;                 // degrees of freedom of its Student quantiles
  std::optional<Interval> seen = {};  // without the runs that have no time, where there are some
};

struct LawExponent {
  std::string term;
  LawNumber exponent;
  double decades = 0;  // log10 of the largest over the smallest value of the term
  // Least and largest exponent when all runs with one value of one of the terms are left out; nothing where no value
  // can be spared.
  std::optional<std::pair<double, double>> left_out;
};

enum class LawKind { power_law, exponential, broken_power_law };
template <>
struct EnumWords<LawKind> {
  static constexpr std::array words{"power law", "exponential", "broken power law"};
};

// One of the competing laws; nothing in `aicc` where there are too few cells to tell.
struct LawForm {
  LawKind kind = LawKind::power_law;
  std::optional<double> aicc;
};

// The best broken power law: exponents before and after a break in one term, continuous there.
struct LawBreak {
  std::string term;
  double at = 0, before = 0, after = 0;
};

struct PowerLaw {
  std::string obstacle;  // why there is no fit, in which case only the counts below hold; or ""
  LawNumber constant, r2;
  std::vector<LawExponent> exponents;
  double time_decades = 0;           // of the uncensored times
  double deviation = 0;              // of a run about the law, in ln y
  std::vector<LawForm> forms;        // the power law first
  std::optional<LawKind> preferred;  // none where nothing could be compared
  std::optional<LawBreak> broken;
  int64_t runs = 0, cells = 0;  // asked for
  int64_t used = 0;             // runs in the fit, `censored` ones included
  int64_t censored = 0, diverged = 0;
  int64_t missing = 0;       // did not diverge, but do not have the quantity
  int64_t not_positive = 0;  // have a time of 0 or less, which has no logarithm

  double predict(const std::vector<double>& terms) const;
};

// `names` are the terms' names. Never throws for what the runs hold: what cannot be fitted is said in `obstacle`.
PowerLaw fit_power_law(const std::vector<std::string>& names, const std::vector<LawRun>& runs, double confidence = 0.95,
                       int64_t resamples = 2000, uint64_t seed = 1);

}  // namespace atto
