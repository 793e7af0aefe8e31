// What to measure and when.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atto {

// When an observable is measured. The parts add up; with none given it is measured at evenly spaced steps, as many as
// keep its cost small beside the run's (Observable::default_points). The last step of a run is always measured.
struct MeasureSteps {
  int64_t every = 0;        // each multiple of this
  int64_t linear = 0;       // this many evenly spaced steps
  int64_t log = 0;          // this many log-spaced steps, 0 and 1 included
  std::vector<int64_t> at;  // named steps

  // No more measurements than this; quick to tell however many there are.
  int64_t at_most(int64_t steps, int64_t default_points = 100) const;
  // Sorted, unique, within 0..steps.
  std::vector<int64_t> resolve(int64_t steps, int64_t default_points = 100) const;

 private:
  int64_t even_points(int64_t steps, int64_t default_points) const;
};

class WeightFunction;  // observe/weight_function.h

struct Observation {
  std::vector<std::string> what;  // addresses
  MeasureSteps when;
  std::shared_ptr<const WeightFunction> function = nullptr;  // from outside of the program; `what` is its name alone
};

// Part of a run's identity: the same trajectory measured otherwise is another record.
using ObservePlan = std::vector<Observation>;

}  // namespace atto
