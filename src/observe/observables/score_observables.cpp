// Scores of attention before they become weights, by the token of the key.
//
// Weights only tell scores of one query apart: those of different queries are divided by different sums. The network in
// training keeps no scores, so the probe runs a twin of it that does.
#include <limits>

#include "observe/observables/head_ranges.h"

namespace atto {
namespace {

// A pass over the many probe sequences, as in attention_statistics.cpp, by slower kernels.
constexpr int64_t kScorePoints = 3;

void mean_scores(Probe& probe, const HeadRange& heads, int first_asked, int vocabulary, double* out) {
  std::vector<int64_t> times(static_cast<size_t>(vocabulary));
  std::fill_n(out, vocabulary, 0.0);
  const int context = probe.context(), sequences = probe.sequences();
  const float* scores = probe.attention(heads.scores);
  for (int h = heads.first; h < heads.end; ++h)
    for (int i = first_asked; i < context; ++i) {
      const SeenKeys seen = seen_keys(probe.mask(), i, context);
      for (int n = 0, j = seen.first; n < seen.count; ++n, j += seen.step)
        for (int s = 0; s < sequences; ++s) {
          const int32_t token = probe.tokens()[j * sequences + s];
          out[token] += scores[((int64_t{h} * context + i) * context + j) * sequences + s];
          ++times[static_cast<size_t>(token)];
        }
    }
  for (int v = 0; v < vocabulary; ++v) {
    const int64_t count = times[static_cast<size_t>(v)];
    out[v] = count > 0 ? out[v] / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

void offer_scores(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr || spec.attention()->task.shape.vectors()) return;
  const BatchShape& shape = spec.attention()->task.shape;
  const int vocabulary = shape.vocabulary, first_asked = shape.first_asked;
  const Network twin(spec.config().network, shape, Keep::scores);
  for (const HeadRange& heads : head_ranges(spec.config().network)) {
    if (twin.find_rows(heads.scores) == nullptr) continue;  // a form of attention that does not tell
    offers.push_back({heads.prefix + ".score_by_token",
                      "mean score, before the softmax, of an asked query on keys that hold the token, in " +
                          heads.whose + " (NaN: not among the probes)",
                      {vocabulary},
                      [=](const NetworkMoment& moment, double* out) {
                        mean_scores(moment.probes.scores(), heads, first_asked, vocabulary, out);
                      },
                      kScorePoints,
                      ProbeKind::scores});
  }
}

}  // namespace atto
