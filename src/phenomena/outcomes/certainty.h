// How sure an interval has to be, and of what.
#pragma once

#include <cstdint>

namespace atto {

struct Certainty {
  double level = 0.95;
  // The runs come in batches and somebody looks after each: the interval must hold at every look at once. Shares and
  // medians have such intervals for any number of looks (math/confidence_sequence.h); others spend the error over the
  // planned ones.
  bool anytime = false;
  int look = 1, looks = 1;
  // Shares of a fixed number of runs by the interval of Clopper and Pearson. Wilson's is right on average at 95 %; far
  // beyond, where the least error of a decision is looked for, its tails are much too short.
  bool exact_shares = false;

  // The level of an ordinary interval made at this look.
  double spent_level() const;
  // The same with the error divided by `parts`.
  Certainty shared(int64_t parts) const;
};

}  // namespace atto
