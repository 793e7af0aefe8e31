#include "phenomena/outcomes/certainty.h"

#include "math/confidence_sequence.h"

namespace atto {

double Certainty::spent_level() const { return anytime ? 1 - spent_alpha(1 - level, look, looks) : level; }

Certainty Certainty::shared(int64_t parts) const {
  Certainty each = *this;
  each.level = 1 - (1 - level) / static_cast<double>(parts);
  return each;
}

}  // namespace atto
