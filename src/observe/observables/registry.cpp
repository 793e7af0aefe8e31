// Every file of observables, in the order of `atto help observables`. A new one is a file that defines offer_<name>(),
// which adds what a run of this description offers, and one line here.
#include "observe/observable.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_OBSERVABLES
#define ATTO_MORE_OBSERVABLES(ENTRY)
#endif

#define ATTO_OBSERVABLES(ENTRY) \
  ENTRY(batch)                  \
  ENTRY(weights)                \
  ENTRY(norms)                  \
  ENTRY(curvature)              \
  ENTRY(attention)              \
  ENTRY(attention_statistics)   \
  ENTRY(scores)                 \
  ENTRY(relevance)              \
  ENTRY(response)               \
  ENTRY(test)                   \
  ENTRY(answers)                \
  ENTRY(emergence)              \
  ENTRY(interventions)          \
  ATTO_MORE_OBSERVABLES(ENTRY)

namespace atto {

#define DECLARE(name) void offer_##name(const RunSpec& spec, std::vector<Observable>& offers);
ATTO_OBSERVABLES(DECLARE)
#undef DECLARE

std::vector<Observable> all_observables(const RunSpec& spec) {
  std::vector<Observable> offers;
#define OFFER(name) offer_##name(spec, offers);
  ATTO_OBSERVABLES(OFFER)
#undef OFFER
  return offers;
}

}  // namespace atto
