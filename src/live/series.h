// The series of a run that can be watched: what it records, in the order of the study, then the quantities derived from
// it. Frames call a series by its place in this list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/study/study.h"
#include "spec/run_spec.h"

namespace atto {

struct LiveSeries {
  std::string address;
  std::vector<int64_t> shape;  // {} is one number
  int64_t points = 0;          // measurements of a run that goes to its end; of a derived one at most so many
  bool derived = false;
};

std::vector<LiveSeries> live_series(const Study& study, const RunSpec& spec);

}  // namespace atto
