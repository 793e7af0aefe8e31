#include "observe/memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/saturating.h"
#include "observe/observable.h"
#include "spec/training_memory.h"
#include "spec/trajectories.h"

namespace atto {
namespace {

// As many as there are, or a bound where there are too many to list.
size_t measurements(const MeasureSteps& when, int64_t steps, int64_t default_points) {
  constexpr int64_t kListable = 1'000'000;
  const int64_t bound = when.at_most(steps, default_points);
  return bound > kListable ? static_cast<size_t>(bound) : when.resolve(steps, default_points).size();
}

size_t probe_bytes(const Trainer& trainer, const std::set<Probes::Kind>& kinds) {
  size_t bytes = 0;
  for (const Probes::Kind kind : kinds) bytes += Probes::bytes(trainer, kind);
  return bytes;
}

}  // namespace

size_t RunMemory::total() const {
  return saturating_sum(series, std::max(building, saturating_sum(training, saturating_sum(observing, weights))));
}

size_t RunMemory::recording() const { return saturating_sum(series, weights); }

RunMemory estimate_memory(const RunConfig& config, const ObservePlan& plan, size_t most) {
  const TrainingMemory training = estimate_memory(config);
  RunMemory memory;
  memory.training = training.total;
  memory.building = training.building;
  if (training.total > most) return memory;

  const std::unique_ptr<Trajectory> run = make_trajectory(config);
  const std::vector<Observable> offers = all_observables(*run);
  std::map<std::string, const Observable*> by_address;
  for (const Observable& offer : offers) by_address[offer.address] = &offer;
  std::set<Probes::Kind> probes;
  size_t values = 0;
  for (const Observation& observation : plan) {
    for (const std::string& address : observation.what) {
      const auto found = by_address.find(address);
      if (found == by_address.end()) continue;  // the run itself will complain
      const Observable& observable = *found->second;
      probes.insert(observable.probe);
      const size_t count = measurements(observation.when, config.training.steps, observable.default_points);
      size_t block = sizeof(double);
      for (const int64_t extent : observable.shape) block = saturating_product(block, static_cast<size_t>(extent));
      values = saturating_sum(values, saturating_product(count, block));
      const size_t steps = saturating_product(count, sizeof(int64_t));
      memory.observing = saturating_sum(memory.observing, steps);  // when it is due
      memory.series = saturating_sum(memory.series, steps);        // when it was measured
    }
  }
  memory.checkpoint = saturating_sum(values, training.parameters + training.optimizer);
  memory.series = saturating_sum(memory.series, values);
  memory.weights = training.parameters;
  if (const auto* trainer = dynamic_cast<const Trainer*>(run.get()))
    memory.observing = saturating_sum(memory.observing, probe_bytes(*trainer, probes));
  return memory;
}

}  // namespace atto
