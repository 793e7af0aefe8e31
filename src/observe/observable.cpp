#include "observe/observable.h"

namespace atto {

std::vector<Observable> all_observables(const Trajectory& run) {
  std::vector<Observable> offers;
  if (const auto* trainer = dynamic_cast<const Trainer*>(&run)) {
    offer_batch_observables(*trainer, offers);
    offer_weight_observables(*trainer, offers);
    offer_attention_observables(*trainer, offers);
    offer_attention_statistics(*trainer, offers);
    offer_relevance_observables(*trainer, offers);
    offer_response_observables(*trainer, offers);
    offer_test_observables(*trainer, offers);
  } else if (const auto* emergence = dynamic_cast<const EmergenceRun*>(&run)) {
    offer_emergence_observables(*emergence, offers);
  }
  return offers;
}

}  // namespace atto
