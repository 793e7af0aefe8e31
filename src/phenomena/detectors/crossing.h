// When a series passes a threshold for good.
#pragma once

#include <cstdint>
#include <optional>

#include "base/words.h"
#include "observe/recording.h"

namespace atto {

// Which side of a limit counts: at or below it, or at or above it.
enum class Side { below, above };
template <>
struct EnumWords<Side> {
  static constexpr std::array words{"below", "above"};
};

struct Crossing {
  double limit = 0;
  Side side = Side::below;
  int64_t hold = 1;          // measurements on end it must stay there
  bool interpolate = false;  // place it between measurements, on the line that joins them
  int64_t hold_steps = 0;    // instead of measurements, where it is not 0: steps, however often it is measured

  // The step of the first measurement beyond the limit from which on it stays for that long; none if there is none. A
  // run that its stop condition ended (`stopped_early`) needs to stay only to its end.
  std::optional<double> find(const Series& series, bool stopped_early) const;
};

}  // namespace atto
