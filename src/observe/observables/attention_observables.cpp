// Attention maps on a few probe sequences, and how spread out attention is.
#include <cmath>

#include "observe/observables/head_ranges.h"

namespace atto {
namespace {

// A pass over the few probe sequences costs about as much as a small training step.
constexpr int64_t kProbePoints = 10;

void offer_pattern(const HeadRange& layer, int context, std::vector<Observable>& offers) {
  const int heads = layer.end;
  std::vector<int64_t> shape{NetworkProbes::kShown, context, context};
  if (heads > 1) shape.insert(shape.begin() + 1, heads);
  offers.push_back({layer.pattern,
                    std::string("attention weights [sequence]") + (heads > 1 ? "[head]" : "") + "[query][key] of " +
                        layer.whose + " on the first probe sequences",
                    shape,
                    [=](const NetworkMoment& moment, double* out) {
                      Probe& probe = moment.probes.few();
                      const float* weights = probe.attention(layer.pattern);
                      for (int s = 0; s < NetworkProbes::kShown; ++s)
                        for (int pair = 0; pair < heads * context * context; ++pair)
                          *out++ = weights[pair * probe.sequences() + s];
                    },
                    kProbePoints, ProbeKind::few});
}

void offer_entropy(const HeadRange& heads, int context, int first_asked, std::vector<Observable>& offers) {
  offers.push_back({heads.prefix + ".entropy",
                    "mean entropy of the asked queries' attention weights in " + heads.whose + ", in nats",
                    {},
                    [=](const NetworkMoment& moment, double* out) {
                      Probe& probe = moment.probes.few();
                      const float* weights = probe.attention(heads.pattern);
                      const int block = context * probe.sequences();
                      double sum = 0;
                      for (int h = heads.first; h < heads.end; ++h)
                        for (int i = (h * context + first_asked) * block; i < (h + 1) * context * block; ++i)
                          if (weights[i] > 0) sum -= weights[i] * std::log(static_cast<double>(weights[i]));
                      *out = sum / (probe.sequences() * (context - first_asked) * (heads.end - heads.first));
                    },
                    kProbePoints,
                    ProbeKind::few});
}

// The probe sequences themselves, and what the network answers to them.
void offer_sequences(const BatchShape& shape, std::vector<Observable>& offers) {
  const int context = shape.context, features = shape.vectors() ? shape.inputs : 1;
  std::vector<int64_t> extents{NetworkProbes::kShown, context};
  if (shape.vectors()) extents.push_back(features);
  offers.push_back({shape.vectors() ? "probe.inputs" : "probe.tokens",
                    shape.vectors() ? "vectors of the sequences the maps are drawn on"
                                    : "tokens of the sequences the maps are drawn on",
                    extents,
                    [=](const NetworkMoment& moment, double* out) {
                      const Probe& probe = moment.probes.few();
                      for (int s = 0; s < NetworkProbes::kShown; ++s)
                        for (int i = 0; i < context * features; ++i) {
                          const int at = i * probe.sequences() + s;
                          *out++ = shape.vectors() ? static_cast<double>(probe.inputs()[at]) : probe.tokens()[at];
                        }
                    },
                    kProbePoints, ProbeKind::few});
  const int outputs = shape.vectors() ? shape.outputs : shape.vocabulary;
  offers.push_back({"probe.outputs",
                    std::string(shape.vectors() ? "answers" : "logits") + " at the last position of those sequences",
                    {NetworkProbes::kShown, outputs},
                    [=](const NetworkMoment& moment, double* out) {
                      for (int s = 0; s < NetworkProbes::kShown; ++s) moment.probes.few().answer(s, out + s * outputs);
                    },
                    kProbePoints,
                    ProbeKind::few});
}

}  // namespace

void offer_attention(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  const Network& network = *spec.attention()->network;
  // Sigmoid and linear weights are no shares of a whole.
  const bool shares = spec.config().network.normalizer <= Normalizer::sink;
  for (const HeadRange& heads : head_ranges(spec.config().network)) {
    if (heads.prefix + ".pattern" == heads.pattern) offer_pattern(heads, network.context(), offers);
    if (shares) offer_entropy(heads, network.context(), network.first_asked(), offers);
  }
  offer_sequences(network.shape(), offers);
}

}  // namespace atto
