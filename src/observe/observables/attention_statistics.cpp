// Who receives attention, averaged over many probe sequences.
//
// "Received" by a key is Σ_i a_ij over the queries i of its sequence, so its mean over all keys is 1: a value of 3
// means three times the fair share. The masses are means over queries of Σ_j a_ij over the keys j that have a property.
#include <limits>

#include "network/stack.h"
#include "observe/observables/head_ranges.h"

namespace atto {
namespace {

// A pass over the many probe sequences costs as much as several training steps.
constexpr int64_t kStatisticsPoints = 3;

constexpr auto at_any = [](int, int) { return true; };
constexpr auto in_all = [](const Probe&, int, int, int) { return true; };

// Adds a mass: the mean over queries first .. C-1 of the weight on keys for which at(query, key), asked once for all
// sequences, and holds(probe, sequence, query, key).
template <class At, class Holds>
void offer_mass(const HeadRange& heads, const std::string& name, const std::string& help, int first,
                std::vector<Observable>& offers, At at, Holds holds) {
  offers.push_back({heads.prefix + "." + name,
                    help,
                    {},
                    [=](const NetworkMoment& moment, double* out) {
                      Probe& probe = moment.probes.many();
                      double sum = 0;
                      each_weight(
                          probe, heads, first,
                          [&](int s, int i, int j, float weight) {
                            if (holds(probe, s, i, j)) sum += weight;
                          },
                          at);
                      const int queries = (probe.context() - first) * (heads.end - heads.first);
                      *out = sum / (probe.sequences() * queries);
                    },
                    kStatisticsPoints,
                    ProbeKind::many});
}

int32_t token(const Probe& probe, int s, int position) { return probe.tokens()[position * probe.sequences() + s]; }

void offer_received_by_token(const HeadRange& heads, int vocabulary, int context, const std::string& in,
                             std::vector<Observable>& offers) {
  offers.push_back({heads.prefix + ".received_by_token",
                    "attention a token receives per occurrence (1: its fair share; NaN: not among the probes)" + in,
                    {vocabulary},
                    [=](const NetworkMoment& moment, double* out) {
                      Probe& probe = moment.probes.many();
                      std::vector<int> occurrences(static_cast<size_t>(vocabulary));
                      std::fill_n(out, vocabulary, 0.0);
                      for (int s = 0; s < probe.sequences(); ++s)
                        for (int j = 0; j < context; ++j) ++occurrences[static_cast<size_t>(token(probe, s, j))];
                      each_weight(probe, heads, 0,
                                  [&](int s, int, int j, float weight) { out[token(probe, s, j)] += weight; });
                      for (int v = 0; v < vocabulary; ++v) {
                        const int times = occurrences[static_cast<size_t>(v)] * (heads.end - heads.first);
                        out[v] = times > 0 ? out[v] / times : std::numeric_limits<double>::quiet_NaN();
                      }
                    },
                    kStatisticsPoints,
                    ProbeKind::many});
}

// Over the queries whose token stood earlier: their weight on the position after its last occurrence, which is where
// what followed it then can be read. NaN when no probe repeats a token.
void offer_induction(const HeadRange& heads, int context, const std::string& in, std::vector<Observable>& offers) {
  offers.push_back({heads.prefix + ".induction",
                    "mean weight of a query on the position after the last earlier occurrence of its token" + in,
                    {},
                    [=](const NetworkMoment& moment, double* out) {
                      Probe& probe = moment.probes.many();
                      const float* weights = probe.attention(heads.pattern);
                      double sum = 0;
                      int64_t queries = 0;
                      for (int s = 0; s < probe.sequences(); ++s) {
                        for (int i = 1; i < context; ++i) {
                          int j = i - 1;
                          while (j >= 0 && token(probe, s, j) != token(probe, s, i)) --j;
                          if (j < 0) continue;
                          queries += heads.end - heads.first;
                          for (int h = heads.first; h < heads.end; ++h)
                            sum += weights[((h * context + i) * context + j + 1) * probe.sequences() + s];
                        }
                      }
                      *out =
                          queries > 0 ? sum / static_cast<double>(queries) : std::numeric_limits<double>::quiet_NaN();
                    },
                    kStatisticsPoints,
                    ProbeKind::many});
}

}  // namespace

void offer_attention_statistics(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  const BatchShape& shape = spec.attention()->task.shape;
  const NetworkConfig& network = spec.config().network;
  const int context = shape.context, first_asked = shape.first_asked;
  const bool tokens = !shape.vectors();
  for (const HeadRange& heads : head_ranges(network)) {
    const bool only = heads.end - heads.first == network.heads && attention_blocks(network).size() == 1;
    const std::string in = only ? "" : " (" + heads.whose + ")";
    if (tokens) offer_received_by_token(heads, shape.vocabulary, context, in, offers);
    offers.push_back({heads.prefix + ".received_by_position",
                      "attention a position receives from all queries of its sequence" + in,
                      {context},
                      [=](const NetworkMoment& moment, double* out) {
                        Probe& probe = moment.probes.many();
                        std::fill_n(out, context, 0.0);
                        each_weight(probe, heads, 0, [&](int, int, int j, float weight) { out[j] += weight; });
                        for (int j = 0; j < context; ++j) out[j] /= probe.sequences() * (heads.end - heads.first);
                      },
                      kStatisticsPoints,
                      ProbeKind::many});
    if (context > 1) {
      offer_mass(
          heads, "sink", "mean weight that later queries give to the first position ([BOS] where there is one)" + in, 1,
          offers, [](int, int j) { return j == 0; }, in_all);
      offer_mass(
          heads, "previous", "mean weight of a query on the position before it" + in, 1, offers,
          [](int i, int j) { return j == i - 1; }, in_all);
    }
    offer_mass(
        heads, "diagonal", "mean weight of a query on its own position" + in, first_asked, offers,
        [](int i, int j) { return i == j; }, in_all);
    if (!tokens) continue;
    offer_mass(heads, "identical", "mean weight of a query on positions that hold its own token" + in, first_asked,
               offers, at_any,
               [](const Probe& probe, int s, int i, int j) { return token(probe, s, i) == token(probe, s, j); });
    offer_mass(heads, "answer", "mean weight of an asked query on positions that hold the answer" + in, first_asked,
               offers, at_any, [first_asked](const Probe& probe, int s, int i, int j) {
                 return token(probe, s, j) == probe.answers()[(i - first_asked) * probe.sequences() + s];
               });
    offer_induction(heads, context, in, offers);
  }
}

}  // namespace atto
