#include "observe/observable.h"

namespace atto {
namespace {

std::variant<NetworkProbes, EmergenceProbe> make_probes(LiveRun& run) {
  if (run.attention() != nullptr) return NetworkProbes(run);
  return EmergenceProbe(run);
}

}  // namespace

Observer::Observer(LiveRun& run) : trainer_(run.trainer()), probes_(make_probes(run)) {}

void Observer::measure(const Observable& observable, const BatchResult& batch, double* out) {
  if (auto* probes = std::get_if<NetworkProbes>(&probes_))
    return std::get<MeasureNetwork>(observable.measure)({trainer_, batch, *probes}, out);
  std::get<MeasureEmergence>(observable.measure)({trainer_, batch, std::get<EmergenceProbe>(probes_)}, out);
}

}  // namespace atto
