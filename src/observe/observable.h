// Something that can be measured on a run in training, under an address. It is offered by the description of the run,
// which knows its shape, and measured on a view of the run itself. A new one is one file and one line:
// docs/adding-an-observable.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/variant.h"
#include "observe/measure_plan.h"
#include "observe/probes.h"
#include "spec/run_spec.h"

namespace atto {

// One moment of a run: the parameters before update `trainer.step()`, and what the batch of that step showed.
// Of a network of attention.
struct NetworkMoment {
  const Trainer& trainer;
  const BatchResult& batch;
  NetworkProbes& probes;
};
// Of single-location regression with free scores.
struct EmergenceMoment {
  const Trainer& trainer;
  const BatchResult& batch;
  EmergenceProbe& probe;
};

// Writes product(shape) numbers, row-major.
using MeasureNetwork = std::function<void(const NetworkMoment& moment, double* out)>;
using MeasureEmergence = std::function<void(const EmergenceMoment& moment, double* out)>;

struct Observable {
  std::string address;
  std::string help;
  std::vector<int64_t> shape;  // {} is a scalar
  Variant<MeasureNetwork, MeasureEmergence> measure;
  // Measurements in a run whose study names no schedule: fewer where one is expensive.
  int64_t default_points = 100;
  ProbeKind probe = ProbeKind::none;  // what it looks at, for the memory
  bool alias = false;                 // another address of something that is offered, too
  bool outside = false;               // a function from outside of the program measures it
};

// Everything that can be measured on the run, in the order of `atto help observables`; observables/registry.cpp lists
// the files that offer it.
std::vector<Observable> all_observables(const RunSpec& spec);

// The same, and the functions from outside that the plan names, which have no `measure`: observe/weight_function.h.
// Error(config) where one has the address of another.
std::vector<Observable> all_observables(const RunSpec& spec, const ObservePlan& plan);

// Measures observables of one run, whatever its kind.
class Observer {
 public:
  explicit Observer(LiveRun& run);
  // What `observable`, which the run's spec offered, shows now. `batch` is the last evaluation.
  void measure(const Observable& observable, const BatchResult& batch, double* out);

 private:
  const Trainer& trainer_;
  std::variant<NetworkProbes, EmergenceProbe> probes_;
};

}  // namespace atto
