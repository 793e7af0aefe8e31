// Whether attention finds what the last query needs, in tasks that say where it is: the relevant token of regression;
// in recall the value after the query's key, for which each value must first have looked at its key.
#include "observe/heads.h"

namespace atto {
namespace {

// As in attention_statistics.cpp, whose passes these share when they fall on the same steps.
constexpr int64_t kRelevancePoints = 3;

void offer_relevant(const HeadRange& heads, const std::string& name, const std::string& what, int context,
                    std::vector<Observable>& offers) {
  offers.push_back({heads.prefix + "." + name,
                    "mean weight of the last query on " + what + ", in " + heads.whose,
                    {},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.many(moment.trainer());
                      double sum = 0;
                      each_weight(moment, probe, heads, context - 1, [&](int s, int, int j, float weight) {
                        sum += weight * probe.relevant()[j * probe.sequences() + s];
                      });
                      *out = sum / (probe.sequences() * (heads.end - heads.first));
                    },
                    kRelevancePoints});
}

void offer_value_to_key(const HeadRange& heads, int context, std::vector<Observable>& offers) {
  offers.push_back({heads.prefix + ".value_to_key",
                    "mean weight of the asked value's position on its key, just before it, in " + heads.whose,
                    {},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.many(moment.trainer());
                      const float* weights = probe.attention(moment.trainer(), heads.pattern);
                      double sum = 0, places = 0;
                      for (int i = 1; i < context; ++i) {
                        for (int s = 0; s < probe.sequences(); ++s) {
                          const double here = probe.relevant()[i * probe.sequences() + s];
                          places += here * (heads.end - heads.first);
                          for (int h = heads.first; h < heads.end; ++h)
                            sum += here * weights[((h * context + i) * context + i - 1) * probe.sequences() + s];
                        }
                      }
                      *out = sum / places;
                    },
                    kRelevancePoints});
}

}  // namespace

void offer_relevance_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  if (!trainer.task().has_relevant()) return;
  const int context = trainer.network().context();
  const bool pairs = !trainer.network().shape().vectors();
  for (const HeadRange& heads : head_ranges(trainer)) {
    if (pairs) {
      offer_relevant(heads, "query_to_value", "the value after its key", context, offers);
      offer_value_to_key(heads, context, offers);
    } else {
      offer_relevant(heads, "relevant", "the positions that hold the relevant token", context, offers);
    }
  }
}

}  // namespace atto
