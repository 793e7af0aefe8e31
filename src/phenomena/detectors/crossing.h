// When a series passes a threshold for good.
#pragma once

#include <cstdint>
#include <optional>

#include "observe/recording.h"

namespace atto {

struct Crossing {
  double limit = 0;
  bool below = true;         // which side counts: at or below the limit, or at or above it
  int64_t hold = 1;          // measurements on end it must stay there
  bool interpolate = false;  // place it between measurements, on the line that joins them

  // The step of the first measurement beyond the limit that is followed by enough others; none if there is none. A run
  // that its stop condition ended (`stopped_early`) needs to stay only to its end.
  std::optional<double> find(const Series& series, bool stopped_early) const;
};

}  // namespace atto
