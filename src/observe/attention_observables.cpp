// Attention maps on a few probe sequences, and how spread out attention is.
#include <cmath>

#include "observe/observable.h"

namespace atto {
namespace {

// A pass over the few probe sequences costs about as much as a small training step.
constexpr int64_t kProbePoints = 10;

}  // namespace

void offer_attention_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  const int context = trainer.network().context(), first_asked = trainer.network().first_asked();
  const std::string pattern = "layer.0.attention.pattern";
  offers.push_back({pattern,
                    "attention weights [sequence][query][key] on the first probe sequences",
                    {Probes::kShown, context, context},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.few(moment.trainer());
                      const float* weights = probe.attention(moment.trainer(), pattern);
                      for (int s = 0; s < Probes::kShown; ++s)
                        for (int pair = 0; pair < context * context; ++pair)
                          *out++ = weights[pair * probe.sequences() + s];
                    },
                    kProbePoints});
  offers.push_back({"layer.0.attention.entropy",
                    "mean entropy of the asked queries' attention weights, in nats",
                    {},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.few(moment.trainer());
                      const float* weights = probe.attention(moment.trainer(), pattern);
                      const int first = first_asked * context * probe.sequences();
                      const int end = context * context * probe.sequences();
                      double sum = 0;
                      for (int i = first; i < end; ++i)
                        if (weights[i] > 0) sum -= weights[i] * std::log(static_cast<double>(weights[i]));
                      *out = sum / (probe.sequences() * (context - first_asked));
                    },
                    kProbePoints});
  offers.push_back({"probe.tokens",
                    "tokens of the sequences the maps are drawn on",
                    {Probes::kShown, context},
                    [=](const Moment& moment, double* out) {
                      const Probe& probe = moment.probes.few(moment.trainer());
                      for (int s = 0; s < Probes::kShown; ++s)
                        for (int i = 0; i < context; ++i) *out++ = probe.tokens()[i * probe.sequences() + s];
                    },
                    kProbePoints});
}

}  // namespace atto
