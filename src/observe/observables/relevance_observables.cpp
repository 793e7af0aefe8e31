// Whether attention finds what the last query needs, in tasks that say where it is: the relevant token of regression;
// in recall the value after the query's key, for which each value must first have looked at its key.
#include <algorithm>

#include "observe/observables/head_ranges.h"

namespace atto {
namespace {

// As in attention_statistics.cpp, whose passes these share when they fall on the same steps.
constexpr int64_t kRelevancePoints = 3;

// Mean weight of the last query on the relevant positions.
double weight_on_relevant(const NetworkMoment& moment, const HeadRange& heads) {
  Probe& probe = moment.probes.many();
  double sum = 0;
  each_weight(probe, heads, probe.context() - 1,
              [&](int s, int, int j, float weight) { sum += weight * probe.relevant()[j * probe.sequences() + s]; });
  return sum / (probe.sequences() * (heads.end - heads.first));
}

// Mean weight of the relevant positions on the ones just before them.
double weight_on_keys(const NetworkMoment& moment, const HeadRange& heads) {
  Probe& probe = moment.probes.many();
  double sum = 0, places = 0;
  each_weight(probe, heads, 1, [&](int s, int i, int j, float weight) {
    if (j != i - 1) return;
    const double here = probe.relevant()[i * probe.sequences() + s];
    places += here;
    sum += here * weight;
  });
  return sum / places;
}

// One number for each layer and head, and the highest of all heads: nobody knows beforehand which one will do it.
template <class Measure>
void offer(const RunSpec& spec, const std::string& name, const std::string& what, std::vector<Observable>& offers,
           Measure measure) {
  std::vector<HeadRange> single;
  for (const HeadRange& heads : head_ranges(spec.config().network)) {
    if (heads.end - heads.first == 1) single.push_back(heads);
    offers.push_back({heads.prefix + "." + name,
                      what + ", in " + heads.whose,
                      {},
                      [=](const NetworkMoment& moment, double* out) { *out = measure(moment, heads); },
                      kRelevancePoints,
                      ProbeKind::many});
  }
  offers.push_back({"attention." + name,
                    what + ", in the head that has most of it",
                    {},
                    [=](const NetworkMoment& moment, double* out) {
                      *out = 0;
                      for (const HeadRange& head : single) *out = std::max(*out, measure(moment, head));
                    },
                    kRelevancePoints,
                    ProbeKind::many});
}

}  // namespace

void offer_relevance(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr || !spec.attention()->task.relevant) return;
  if (spec.attention()->task.shape.vectors()) {
    offer(spec, "relevant", "mean weight of the last query on the positions that hold the relevant token", offers,
          weight_on_relevant);
  } else {
    offer(spec, "query_to_value", "mean weight of the last query on the value after its key", offers,
          weight_on_relevant);
    offer(spec, "value_to_key", "mean weight of the asked value's position on its key, just before it", offers,
          weight_on_keys);
  }
}

}  // namespace atto
