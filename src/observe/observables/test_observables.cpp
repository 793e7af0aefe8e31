// What held-out data show that repeat nothing, whatever the training data do.
#include <cmath>

#include "observe/observable.h"

namespace atto {
namespace {

// A test costs as much as a few training steps.
constexpr int64_t kTestPoints = 10;

}  // namespace

void offer_test(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr || !spec.attention()->tested) return;
  const bool tokens = !spec.attention()->task.shape.vectors();
  const auto offer = [&offers](const std::string& address, const std::string& help, auto measure) {
    offers.push_back({address,
                      help,
                      {},
                      [measure](const NetworkMoment& moment, double* out) { *out = measure(moment); },
                      kTestPoints});
  };
  offer("loss.test", "loss on held-out data that repeat nothing",
        [](const NetworkMoment& moment) { return moment.probes.test().loss; });
  offer("loss.gap", "loss.test less the loss of the step's batch: above 0 when training data are easier",
        [](const NetworkMoment& moment) { return moment.probes.test().loss - moment.batch.loss; });
  if (!tokens) return;
  offer("perplexity.test", "exp(loss.test)",
        [](const NetworkMoment& moment) { return std::exp(moment.probes.test().loss); });
  offer("accuracy.test", "share of the held-out answers with the largest logit",
        [](const NetworkMoment& moment) { return moment.probes.test().accuracy; });
}

}  // namespace atto
