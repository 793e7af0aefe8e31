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
  const DataConfig& data = spec.config().data;
  if (data.cross <= 0 && (data.schedule == DiversityKind::constant || data.later_cross <= 0)) return;
  offer("weight.share.repeated", "weight.share of the vector that samples share alone", &Response::repeated, offers);
  offer("weight.share.rest", "weight.share of everything across that vector", &Response::rest, offers);
}

}  // namespace atto
