#include "observe/memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/saturating.h"
#include "observe/observable.h"
#include "observe/weight_function.h"

namespace atto {
namespace {

// As many as there are, or a bound where there are too many to list.
size_t measurements(const MeasureSteps& when, int64_t steps, int64_t default_points) {
  constexpr int64_t kListable = 1'000'000;
  const int64_t bound = when.at_most(steps, default_points);
  return bound > kListable ? static_cast<size_t>(bound) : when.resolve(steps, default_points).size();
}

}  // namespace

size_t RunMemory::total() const {
  return saturating_sum(series, std::max(building, saturating_sum(training, saturating_sum(observing, weights))));
}

size_t RunMemory::recording() const { return saturating_sum(series, weights); }

RunMemory estimate_memory(const RunSpec& spec, const ObservePlan& plan) {
  const TrainingMemory training = spec.memory();
  RunMemory memory;
  memory.training = training.total;
  memory.building = training.building;

  const std::vector<Observable> offers = all_observables(spec, plan);
  std::map<std::string, const Observable*> by_address;
  for (const Observable& offer : offers) by_address[offer.address] = &offer;
  std::set<ProbeKind> probes;
  size_t values = 0;
  for (const Observation& observation : plan) {
    for (const std::string& address : observation.what) {
      const auto found = by_address.find(address);
      if (found == by_address.end()) continue;  // the run itself will complain
      const Observable& observable = *found->second;
      probes.insert(observable.probe);
      const size_t count = measurements(observation.when, spec.training().steps, observable.default_points);
      size_t block = sizeof(double);
      for (const int64_t extent : observable.shape) block = saturating_product(block, static_cast<size_t>(extent));
      values = saturating_sum(values, saturating_product(count, block));
      const size_t steps = saturating_product(count, sizeof(int64_t));
      memory.observing = saturating_sum(memory.observing, steps);  // when it is due
      memory.series = saturating_sum(memory.series, steps);        // when it was measured
      if (observable.outside)                                      // weights that wait
        memory.series = saturating_sum(
            memory.series, std::min(kHistoryBytes, saturating_product(count, sizeof(float) * spec.parameter_count())));
    }
  }
  memory.checkpoint = saturating_sum(values, training.parameters + training.optimizer);
  memory.series = saturating_sum(memory.series, values);
  memory.weights = training.parameters;
  if (spec.attention() != nullptr)
    for (const ProbeKind kind : probes)
      memory.observing = saturating_sum(memory.observing, NetworkProbes::bytes(spec, kind));
  return memory;
}

}  // namespace atto
