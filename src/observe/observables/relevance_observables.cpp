// Whether attention finds what the last query needs, in tasks that say where it is: the relevant token of regression;
// in recall the value after the query's key, for which each value must first have looked at its key.
#include <algorithm>

#include "observe/observables/head_ranges.h"

namespace atto {
namespace {

// As in attention_statistics.cpp, whose passes these share when they fall on the same steps.
constexpr int64_t kRelevancePoints = 3;

// Mean weight of the last query on the relevant positions.
double weight_on_relevant(const Moment& moment, const HeadRange& heads) {
  Probe& probe = moment.probes.many(moment.trainer());
  double sum = 0;
  each_weight(moment, probe, heads, moment.trainer().network().context() - 1,
              [&](int s, int, int j, float weight) { sum += weight * probe.relevant()[j * probe.sequences() + s]; });
  return sum / (probe.sequences() * (heads.end - heads.first));
}

// Mean weight of the relevant positions on the ones just before them.
double weight_on_keys(const Moment& moment, const HeadRange& heads) {
  Probe& probe = moment.probes.many(moment.trainer());
  double sum = 0, places = 0;
  each_weight(moment, probe, heads, 1, [&](int s, int i, int j, float weight) {
    if (j != i - 1) return;
    const double here = probe.relevant()[i * probe.sequences() + s];
    places += here;
    sum += here * weight;
  });
  return sum / places;
}

// One number for each layer and head, and the highest of all heads: nobody knows beforehand which one will do it.
template <class Measure>
void offer(const Trainer& trainer, const std::string& name, const std::string& what, std::vector<Observable>& offers,
           Measure measure) {
  std::vector<HeadRange> single;
  for (const HeadRange& heads : head_ranges(trainer)) {
    if (heads.end - heads.first == 1) single.push_back(heads);
    offers.push_back({heads.prefix + "." + name,
                      what + ", in " + heads.whose,
                      {},
                      [=](const Moment& moment, double* out) { *out = measure(moment, heads); },
                      kRelevancePoints});
  }
  offers.push_back({"attention." + name,
                    what + ", in the head that has most of it",
                    {},
                    [=](const Moment& moment, double* out) {
                      *out = 0;
                      for (const HeadRange& head : single) *out = std::max(*out, measure(moment, head));
                    },
                    kRelevancePoints});
}

}  // namespace

void offer_relevance_observables(const Trainer& trainer, std::vector<Observable>& offers) {
  if (!trainer.task().has_relevant()) return;
  if (trainer.network().shape().vectors()) {
    offer(trainer, "relevant", "mean weight of the last query on the positions that hold the relevant token", offers,
          weight_on_relevant);
  } else {
    offer(trainer, "query_to_value", "mean weight of the last query on the value after its key", offers,
          weight_on_relevant);
    offer(trainer, "value_to_key", "mean weight of the asked value's position on its key, just before it", offers,
          weight_on_keys);
  }
}

}  // namespace atto
