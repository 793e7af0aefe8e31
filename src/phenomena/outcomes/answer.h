// What is known of one run's answer to a question: it lies between two bounds. A run that ended first gives a lower
// bound, one that diverged or lacks the quantity gives none. Intervals are taken over everything these bounds allow, so
// that no run leaves a verdict in silence.
#pragma once

#include <optional>
#include <vector>

#include "phenomena/outcomes/outcome.h"

namespace atto {

struct Answer {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  // The single number it stands for in an estimate: a censored one is later than anything seen (+infinity). None where
  // nothing is known.
  std::optional<double> value;
  bool censored = false, missing = false, diverged = false;

  static Answer exactly(double value) { return {value, value, value}; }
  bool known() const { return low == high; }
};

using RunAnswers = std::vector<Answer>;

// Of a number: itself, anything from where it was cut off, or anything at all.
Answer number_answer(const Outcome& outcome);
// Of a yes-or-no quantity, 1 where it is not zero. A run that diverged has ended without showing it: 0. One that ended
// too early to tell (0, but censored) or lacks the quantity may be either.
Answer yes_answer(const Outcome& outcome);
// Did what has this step come by step `by`? A run that was cut off before `by` cannot tell.
Answer by_answer(const Outcome& outcome, double by);

RunAnswers number_answers(const Outcomes& outcomes);
RunAnswers yes_answers(const Outcomes& outcomes);

// a - b and a / b of the same run, or of two runs with the same seeds, over all that the bounds allow. Numbers that are
// divided are taken to be positive: what is unknown of one of them is at least 0.
Answer difference(const Answer& a, const Answer& b);
Answer ratio(const Answer& a, const Answer& b);

}  // namespace atto
