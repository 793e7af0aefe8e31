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

// The running median over so many steps of a scalar series: one odd batch moves nothing, and how often it is measured
// matters little. Windows are symmetric, so narrower towards the ends, where a trend would bias them. What is not a
// number stays so and does not count for its neighbours.
std::vector<double> median_over_steps(const Series& series, double steps);

// Locates the plateau of a run's perplexity for the detectors that speak of it.
struct PlateauReader {
  std::string series = "perplexity";
  PlateauSettings settings;
  // Which plateau is meant: the one whose level is nearest to this, an expression over the numeric keys of a run and
  // best_loss ("data.vocab / 2"), and off by no more than the factor `within`; the longest one where it is empty.
  std::string near;
  double within = 1.5;

  void describe(Fields& fields, const std::string& series_key, const std::string& prefix);
  // Error(config) where `near` cannot be read, or is no level of a perplexity in this run.
  void check(const RunConfig& config) const;

  struct Reading {
    bool readable = false;          // false: diverged, not positive, or too few measurements to tell
    std::vector<Plateau> plateaus;  // those meant; the longest first, or the nearest
    int64_t start = 0, end = 0;     // steps of the first of them
  };
  Reading read(const Recording& recording, const RunConfig& config) const;

 private:
  double level_meant(const RunConfig& config, std::optional<double> best_loss) const;
};

}  // namespace atto
