// What every detector needs when it reads a recording.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/recording.h"
#include "phenomena/detectors/detector.h"
#include "phenomena/detectors/plateau_finder.h"
#include "spec/run_config.h"

namespace atto {

// The series of that address; Error(config) naming the address when the run did not measure it.
const Series& require_series(const Recording& recording, std::string_view address);
// The same, and Error(config) when it is not one number a measurement.
const Series& require_scalar(const Recording& recording, std::string_view address);

// Every quantity of `detector` missing: what a diverged run has to say.
Finding all_missing(const Detector& detector);
// A quantity that is missing where the number is not finite: a ratio to nothing, a correlation with a constant.
Quantity quantity(std::string name, double value);

// Indices [first, last] of measurements; empty when last < first.
struct Window {
  size_t first = 1, last = 0;
  bool empty() const { return last < first; }
  size_t size() const { return empty() ? 0 : last - first + 1; }
};
// The measurements of `series` taken at steps from..to.
Window window_between(const Series& series, int64_t from, int64_t to);

// Locates the plateau of a run's perplexity for the detectors that speak of it.
struct PlateauReader {
  std::string series = "perplexity";
  PlateauSettings settings;

  void describe(Fields& fields, const std::string& series_key, const std::string& prefix);

  struct Reading {
    bool readable = false;          // false: diverged, not positive, or too few measurements to tell
    std::vector<Plateau> plateaus;  // the longest first
    int64_t start = 0, end = 0;     // steps of the longest
  };
  Reading read(const Recording& recording, const RunConfig& config) const;
};

}  // namespace atto
