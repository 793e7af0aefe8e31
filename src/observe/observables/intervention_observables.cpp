// Where the interventions of a run stand (training.intervention), numbered as the study lists them.
#include <limits>

#include "observe/observable.h"

namespace atto {
namespace {

// In both kinds of run it is the trainer that knows.
template <class Moment, class Measure>
auto of_intervention(size_t index, Measure measure) {
  return [index, measure](const Moment& moment, double* out) {
    *out = measure(moment.trainer.interventions().all()[index]);
  };
}

template <class Measure>
Observable of_any_run(const RunSpec& spec, std::string address, std::string help, size_t index, Measure measure) {
  Observable observable{std::move(address), std::move(help), {}, {}};
  if (spec.attention() != nullptr) observable.measure = of_intervention<NetworkMoment>(index, measure);
  else observable.measure = of_intervention<EmergenceMoment>(index, measure);
  return observable;
}

}  // namespace

void offer_interventions(const RunSpec& spec, std::vector<Observable>& offers) {
  for (size_t i = 0; i < spec.training().interventions.size(); ++i) {
    const std::string name = "intervention." + std::to_string(i);
    offers.push_back(of_any_run(spec, name + ".active", "1 while it is in force, else 0", i,
                                [](const Intervention& one) { return one.active() ? 1.0 : 0.0; }));
    offers.push_back(of_any_run(spec, name + ".step", "the first step it was in force; nothing before that", i,
                                [](const Intervention& one) {
                                  return one.began() < 0 ? std::numeric_limits<double>::quiet_NaN()
                                                         : static_cast<double>(one.began());
                                }));
  }
}

}  // namespace atto
