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

  // The level of an ordinary interval made at this look.
  double spent_level() const;
  // The same with the error divided by `parts`.
  Certainty shared(int64_t parts) const;
};

}  // namespace atto
