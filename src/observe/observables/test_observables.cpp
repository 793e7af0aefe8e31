// What held-out data show that repeat nothing, whatever the training data do.
#include <cmath>

#include "observe/observable.h"

namespace atto {
namespace {

// A test costs as much as a few training steps.
constexpr int64_t kTestPoints = 10;

}  // namespace

void offer_test_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  const bool tokens = !trainer.network().shape().vectors();
  const auto offer = [&offers](const std::string& address, const std::string& help, auto measure) {
    offers.push_back(
        {address, help, {}, [measure](const Moment& moment, double* out) { *out = measure(moment); }, kTestPoints});
  };
  offer("loss.test", "loss on held-out data that repeat nothing",
        [](const Moment& moment) { return moment.trainer().test().loss; });
  offer("loss.gap", "loss.test less the loss of the step's batch: above 0 when training data are easier",
        [](const Moment& moment) { return moment.trainer().test().loss - moment.batch.loss; });
  if (!tokens) return;
  offer("perplexity.test", "exp(loss.test)",
        [](const Moment& moment) { return std::exp(moment.trainer().test().loss); });
  offer("accuracy.test", "share of the held-out answers with the largest logit",
        [](const Moment& moment) { return moment.trainer().test().accuracy; });
}

}  // namespace atto
