// What one run answers to a question ("at which step does it emerge?"): a number, a lower bound of it, or nothing.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace atto {

struct Outcome {
  std::optional<double> value;  // none, or NaN, where the run has no answer
  bool censored = false;        // the run ended first: the truth lies above `value`
  bool diverged = false;

  bool exists() const { return value && !std::isnan(*value); }
  // Only of one that exists: its place among others. A censored one is later than anything seen.
  double rank() const { return censored ? std::numeric_limits<double>::infinity() : *value; }

  bool operator==(const Outcome&) const = default;
};

using Outcomes = std::vector<Outcome>;  // of the runs of a cell, in the order of its seeds

// Of those that exist, either as they rank or as far as they got (a censored one at the value it was cut off at).
std::vector<double> ranked_values(const Outcomes& outcomes);
std::vector<double> lower_bounds(const Outcomes& outcomes);

// Share of the runs in which it is 1, of a quantity that is 0 or 1 wherever it exists; none for other quantities. A run
// without it counts as one in which it did not show, as it does in a `rate`.
std::optional<double> yes_share(const Outcomes& outcomes);

}  // namespace atto
