// What a network trained on regression has learnt of the map W*, and how much of it attention lets through.
#include "observe/observable.h"

namespace atto {
namespace {

// Two passes for each dimension of a token.
constexpr int64_t kResponsePoints = 3;

void offer(const std::string& address, const std::string& help, double Response::*number,
           std::vector<Observable>& offers) {
  offers.push_back({address,
                    help,
                    {},
                    [number](const NetworkMoment& moment, double* out) { *out = moment.probes.response().*number; },
                    kResponsePoints,
                    ProbeKind::response});
}

}  // namespace

void offer_response(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr || !spec.attention()->task.asks_map) return;
  offer("weight.share", "what the network makes of a token that stands at every position, along W*: 1 is learnt",
        &Response::share, offers);
  offer("weight.alignment", "cosine between that map and W*", &Response::alignment, offers);
  offer("attention.effective",
        "its answer to a relevant token among others as a share of that to the same token at every position",
        &Response::effective, offers);
}

}  // namespace atto
