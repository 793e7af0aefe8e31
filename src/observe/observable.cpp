#include "observe/observable.h"

namespace atto {

std::vector<Observable> all_observables(const Trajectory& run) {
  std::vector<Observable> offers;
  if (const auto* trainer = dynamic_cast<const Trainer*>(&run)) {
    // Observables that look at the same probes stand together in a file.
    const auto offer = [&](auto add, Probes::Kind probe) {
      const size_t before = offers.size();
      add(*trainer, offers);
      for (size_t i = before; i < offers.size(); ++i) offers[i].probe = probe;
    };
    offer(offer_batch_observables, Probes::Kind::none);
    offer(offer_weight_observables, Probes::Kind::none);
    offer(offer_attention_observables, Probes::Kind::few);
    offer(offer_attention_statistics, Probes::Kind::many);
    offer(offer_relevance_observables, Probes::Kind::many);
    offer(offer_response_observables, Probes::Kind::response);
    offer(offer_test_observables, Probes::Kind::none);
  } else if (const auto* emergence = dynamic_cast<const EmergenceRun*>(&run)) {
    offer_emergence_observables(*emergence, offers);
  }
  return offers;
}

}  // namespace atto
