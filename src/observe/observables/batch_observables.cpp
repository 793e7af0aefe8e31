// What the batch of a step shows. The data are fresh, so these are test values too where nothing
// repeats, and they cost nothing.
#include <cmath>

#include "observe/observable.h"

namespace atto {

void offer_batch(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  const BatchShape& shape = spec.attention()->task.shape;
  const bool tokens = !shape.vectors();
  offers.push_back(
      {"loss",
       tokens ? "mean cross-entropy of the step's batch, in nats; of all sequences where the gradient is expected"
              : "half the mean squared error of the step's batch",
       {},
       [](const NetworkMoment& moment, double* out) { *out = moment.batch.loss; }});
  offers.push_back(
      {"gradient.norm", "Euclidean norm of the whole gradient", {}, [](const NetworkMoment& moment, double* out) {
         double square = 0;
         for (const float g : moment.trainer.gradients()) square += static_cast<double>(g) * g;
         *out = std::sqrt(square);
       }});
  if (!tokens) return;
  offers.push_back({"perplexity", "exp(loss)", {}, [](const NetworkMoment& moment, double* out) {
                      *out = std::exp(moment.batch.loss);
                    }});
  const double vocab = shape.vocabulary;
  offers.push_back({"perplexity.relative", "(perplexity - 1)/V", {}, [vocab](const NetworkMoment& moment, double* out) {
                      *out = std::expm1(moment.batch.loss) / vocab;
                    }});
  offers.push_back(
      {"accuracy", "share of answers with the largest logit", {}, [](const NetworkMoment& moment, double* out) {
         *out = moment.batch.accuracy;
       }});
}

}  // namespace atto
