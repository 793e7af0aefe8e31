#include "observe/observable.h"

#include <algorithm>

#include "base/error.h"
#include "observe/weight_function.h"

namespace atto {
namespace {

std::variant<NetworkProbes, EmergenceProbe> make_probes(LiveRun& run) {
  if (run.attention() != nullptr) return NetworkProbes(run);
  return EmergenceProbe(run);
}

}  // namespace

std::vector<Observable> all_observables(const RunSpec& spec, const ObservePlan& plan) {
  std::vector<Observable> offers = all_observables(spec);
  for (const Observation& one : plan) {
    if (!one.function) continue;
    const std::string& name = one.what.front();
    if (std::any_of(offers.begin(), offers.end(), [&](const Observable& other) { return other.address == name; }))
      throw Error(ErrorKind::config, "'" + name + "' is an observable of the program, too",
                  "give the function another name");
    Observable& own = offers.emplace_back();
    own.address = name;
    own.help = "a function of the weights";
    own.shape = one.function->shape(spec.config());
    own.outside = true;
  }
  return offers;
}

Observer::Observer(LiveRun& run) : trainer_(run.trainer()), probes_(make_probes(run)) {}

void Observer::measure(const Observable& observable, const BatchResult& batch, double* out) {
  if (auto* probes = std::get_if<NetworkProbes>(&probes_))
    return std::get<MeasureNetwork>(observable.measure)({trainer_, batch, *probes}, out);
  std::get<MeasureEmergence>(observable.measure)({trainer_, batch, std::get<EmergenceProbe>(probes_)}, out);
}

}  // namespace atto
