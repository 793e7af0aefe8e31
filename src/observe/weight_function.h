// Observables from outside of the program: functions of the weights of several seeds at once.
//
// A run keeps a copy of its weights at the steps where one is due and goes on; they are measured together with those of
// the other seeds of its cell. A seed always stands at the same place among the same number of rows, and places that
// have no weights of their own at a step hold those of another seed. So what is measured of a run depends neither on
// which other runs there are nor on when they were trained, down to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/host_calls.h"
#include "observe/measure_plan.h"
#include "observe/recording.h"
#include "spec/run_spec.h"

namespace atto {

struct WeightMoment {
  int64_t step = 0;
  std::vector<const float*> rows;  // the parameters of each place, as RunSpec::matrices() lays them out
};

class WeightFunction {
 public:
  virtual ~WeightFunction() = default;
  virtual PartIdentity identity() const = 0;
  // Of what it gives for one seed of such a run; {} is one number. Error(config) where the settings do not tell.
  virtual std::vector<int64_t> shape(const RunConfig& config) const = 0;
  // out[moment][row][shape]. Rows must be treated alike and apart from each other.
  virtual void evaluate(const RunSpec& spec, std::span<const WeightMoment> moments, double* out) const = 0;
};

// Copies of a run's weights that are still to be measured.
struct WeightHistory {
  std::vector<int64_t> steps;
  std::vector<float> weights;  // [step][parameter]

  size_t bytes() const { return weights.size() * sizeof(float); }
};

// Beyond so much a history is measured by itself, and so many seeds are measured together that theirs stay below it.
inline constexpr size_t kHistoryBytes = 64'000'000;

bool has_functions(const ObservePlan& plan);
// How many rows there are, and the row of a run. Both are functions of its configuration and plan.
int rows_together(const RunSpec& spec, const ObservePlan& plan);
int64_t group_of(const SeedConfig& seeds, int rows);
int place_of(const SeedConfig& seeds, int rows);

// One run whose history is to be measured: its series, some of which lack the values at those steps.
struct HistoryOfRun {
  const WeightHistory* history = nullptr;
  std::vector<Series*> series;
  int place = 0;
};
// Fills in the values of all functions of the plan, for runs of one cell and group.
void measure_histories(const RunSpec& spec, const ObservePlan& plan, const std::vector<HistoryOfRun>& runs);

}  // namespace atto
