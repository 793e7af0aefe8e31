// Where attention goes, on the probe sequences.
#include <cmath>

#include "observe/observable.h"

namespace atto {

void offer_attention_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  const int context = trainer.network().context(), first_asked = trainer.network().first_asked();
  const std::string pattern = "layer.0.attention.pattern";
  offers.push_back({pattern,
                    "attention weights [sequence][query][key] on the first probe sequences",
                    {Probe::kShown, context, context},
                    [=](const Moment& moment, double* out) {
                      const float* weights = moment.probe().attention(moment.trainer, pattern);
                      for (int s = 0; s < Probe::kShown; ++s)
                        for (int pair = 0; pair < context * context; ++pair)
                          *out++ = weights[pair * Probe::kSequences + s];
                    }});
  offers.push_back({"layer.0.attention.entropy",
                    "mean entropy of the asked queries' attention weights, in nats",
                    {},
                    [=](const Moment& moment, double* out) {
                      const float* weights = moment.probe().attention(moment.trainer, pattern);
                      const int first = first_asked * context * Probe::kSequences;
                      const int end = context * context * Probe::kSequences;
                      double sum = 0;
                      for (int i = first; i < end; ++i)
                        if (weights[i] > 0) sum -= weights[i] * std::log(static_cast<double>(weights[i]));
                      *out = sum / (Probe::kSequences * (context - first_asked));
                    }});
  offers.push_back({"probe.tokens",
                    "tokens of the sequences the maps are drawn on",
                    {Probe::kShown, context},
                    [=](const Moment& moment, double* out) {
                      for (int s = 0; s < Probe::kShown; ++s)
                        for (int i = 0; i < context; ++i) *out++ = moment.probe().token(s, i);
                    }});
}

}  // namespace atto
