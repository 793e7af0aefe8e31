#include "observe/observable.h"

namespace atto {

std::vector<Observable> all_observables(const Trainer& trainer) {
  std::vector<Observable> offers;
  offer_batch_observables(trainer, offers);
  offer_weight_observables(trainer, offers);
  offer_attention_observables(trainer, offers);
  offer_attention_statistics(trainer, offers);
  return offers;
}

}  // namespace atto
