#include "phenomena/outcomes/answer.h"

#include <algorithm>
#include <cmath>

namespace atto {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The flags of a run that gives no number.
Answer no_answer(const Outcome& outcome) {
  Answer answer;
  answer.diverged = outcome.diverged;
  answer.missing = !outcome.diverged;
  return answer;
}

Answer combined(const Answer& a, const Answer& b) {
  Answer answer;
  answer.censored = a.censored || b.censored;
  answer.diverged = a.diverged || b.diverged;
  answer.missing = (a.missing || b.missing) && !answer.diverged;
  return answer;
}

}  // namespace

Answer number_answer(const Outcome& outcome) {
  if (!outcome.exists()) return no_answer(outcome);
  Answer answer = Answer::exactly(*outcome.value);
  answer.diverged = outcome.diverged;
  if (!outcome.censored) return answer;
  answer.high = kUnbounded;
  answer.value = kUnbounded;
  answer.censored = true;
  return answer;
}

Answer yes_answer(const Outcome& outcome) {
  Answer answer = Answer::exactly(outcome.exists() && *outcome.value != 0 ? 1 : 0);
  answer.diverged = outcome.diverged;
  answer.missing = !outcome.exists() && !outcome.diverged;
  answer.censored = outcome.exists() && outcome.censored;
  if (answer.missing || (answer.censored && *outcome.value == 0)) answer.high = 1;
  return answer;
}

Answer by_answer(const Outcome& outcome, double by) {
  if (!outcome.exists()) return yes_answer(outcome);
  Answer answer = Answer::exactly(!outcome.censored && *outcome.value <= by ? 1 : 0);
  answer.diverged = outcome.diverged;
  answer.censored = outcome.censored && *outcome.value < by;
  if (answer.censored) answer.high = 1;
  return answer;
}

RunAnswers number_answers(const Outcomes& outcomes) {
  RunAnswers answers;
  for (const Outcome& one : outcomes) answers.push_back(number_answer(one));
  return answers;
}

RunAnswers yes_answers(const Outcomes& outcomes) {
  RunAnswers answers;
  for (const Outcome& one : outcomes) answers.push_back(yes_answer(one));
  return answers;
}

Answer difference(const Answer& a, const Answer& b) {
  Answer answer = combined(a, b);
  answer.low = a.low - b.high;
  answer.high = a.high - b.low;
  // Infinity less infinity is anything.
  if (std::isnan(answer.low)) answer.low = -kUnbounded;
  if (std::isnan(answer.high)) answer.high = kUnbounded;
  if (a.value && b.value && !std::isnan(*a.value - *b.value)) answer.value = *a.value - *b.value;
  return answer;
}

Answer ratio(const Answer& a, const Answer& b) {
  Answer answer = combined(a, b);
  if (a.value && b.value && !std::isnan(*a.value / *b.value) && *b.value != 0) answer.value = *a.value / *b.value;
  if (a.known() && b.known()) {
    if (answer.value) answer.low = answer.high = *answer.value;
    else answer.missing = true;  // divided by nothing
    return answer;
  }
  const auto positive = [](double bound) { return bound == -kUnbounded ? 0.0 : bound; };
  const double a_low = positive(a.low), b_low = positive(b.low);
  if (a_low < 0 || b_low < 0) return answer;  // of either sign: anything
  answer.low = a_low / b.high;                // x / infinity is 0
  answer.high = b_low > 0 ? a.high / b_low : kUnbounded;
  return answer;
}

}  // namespace atto
