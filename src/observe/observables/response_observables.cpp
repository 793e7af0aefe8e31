// What a network trained on regression has learnt of the map W*, and how much of it attention lets through.
#include "observe/observable.h"

namespace atto {
namespace {

// Two passes for each dimension of a token.
constexpr int64_t kResponsePoints = 3;

void offer(const std::string& address, const std::string& help, double Response::*number,
           std::vector<Observable>& offers) {
  offers.push_back(
      {address,
       help,
       {},
       [number](const Moment& moment, double* out) { *out = moment.probes.response(moment.trainer()).*number; },
       kResponsePoints});
}

}  // namespace

void offer_response_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  if (trainer.task().target() == nullptr) return;
  offer("weight.share", "what the network makes of a token that stands at every position, along W*: 1 is learnt",
        &Response::share, offers);
  offer("weight.alignment", "cosine between that map and W*", &Response::alignment, offers);
  offer("attention.effective",
        "its answer to a relevant token among others as a share of that to the same token at every position",
        &Response::effective, offers);
}

}  // namespace atto
