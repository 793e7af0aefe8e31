// The heads of a network, for observables that exist once for each of them.
#pragma once

#include <string>
#include <vector>

#include "observe/observable.h"

namespace atto {

// Which weights of an attention pattern [head][query][key][sequence] an observable looks at: heads first .. end - 1 of
// a layer, whose mean it takes.
struct HeadRange {
  std::string prefix;  // of addresses: "layer.0.attention" for a whole layer, "layer.0.head.2" for one of several heads
  std::string pattern;  // address of the pattern: "layer.0.attention.pattern"
  std::string scores;   // address of the scores that it comes from: "layer.0.attention.scores"
  std::string whose;    // "layer 0", "head 2 of layer 0", for help texts
  int first, end;
};

// Each layer as a whole, then each of its heads where there are several.
std::vector<HeadRange> head_ranges(const NetworkConfig& network);

// Calls visit(sequence, query, key, weight) for all seen weights of queries first_query .. C-1 of the range's heads, of
// the pairs of query and key for which at(query, key).
template <class Visit, class At>
void each_weight(Probe& probe, const HeadRange& heads, int first_query, Visit visit, At at) {
  const int context = probe.context(), sequences = probe.sequences();
  const float* weights = probe.attention(heads.pattern);
  for (int h = heads.first; h < heads.end; ++h)
    for (int i = first_query; i < context; ++i)
      for (int j = 0; j < (probe.mask().causal ? i + 1 : context); ++j)
        for (int s = at(i, j) ? 0 : sequences; s < sequences; ++s)
          visit(s, i, j, weights[((int64_t{h} * context + i) * context + j) * sequences + s]);
}
template <class Visit>
void each_weight(Probe& probe, const HeadRange& heads, int first_query, Visit visit) {
  each_weight(probe, heads, first_query, visit, [](int, int) { return true; });
}

}  // namespace atto
