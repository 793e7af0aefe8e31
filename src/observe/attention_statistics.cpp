// Who receives attention, averaged over many probe sequences.
//
// "Received" by a key is Σ_i a_ij over the queries i of its sequence, so its mean over all keys is 1: a value of 3
// means three times the fair share. The masses are means over queries of Σ_j a_ij over the keys j that have a property.
#include <limits>

#include "observe/observable.h"

namespace atto {
namespace {

const std::string kPattern = "layer.0.attention.pattern";
// A pass over the many probe sequences costs as much as several training steps.
constexpr int64_t kStatisticsPoints = 3;

// Calls visit(sequence, query, key, weight) for all weights of queries first .. C-1.
template <class Visit>
void each_weight(const Moment& moment, Probe& probe, int first, Visit visit) {
  const int context = moment.trainer().network().context(), sequences = probe.sequences();
  const float* weights = probe.attention(moment.trainer(), kPattern);
  const bool causal = moment.trainer().config().network.mask == "causal";
  for (int i = first; i < context; ++i)
    for (int j = 0; j < (causal ? i + 1 : context); ++j)
      for (int s = 0; s < sequences; ++s) visit(s, i, j, weights[(i * context + j) * sequences + s]);
}

// Adds a mass: the mean over queries first .. C-1 of the weight on keys for which holds(probe, sequence, query, key).
template <class Holds>
void offer_mass(const std::string& name, const std::string& help, int first, std::vector<Observable>& offers,
                Holds holds) {
  offers.push_back({"layer.0.attention." + name,
                    help,
                    {},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.many(moment.trainer());
                      double sum = 0;
                      each_weight(moment, probe, first, [&](int s, int i, int j, float weight) {
                        if (holds(probe, s, i, j)) sum += weight;
                      });
                      *out = sum / (probe.sequences() * (moment.trainer().network().context() - first));
                    },
                    kStatisticsPoints});
}

}  // namespace

void offer_attention_statistics(const Trainer& trainer, std::vector<Observable>& offers) {
  const int context = trainer.network().context(), vocabulary = trainer.network().vocabulary();
  const int first_asked = trainer.network().first_asked();
  const auto token = [](const Probe& probe, int s, int position) {
    return probe.tokens()[position * probe.sequences() + s];
  };

  offers.push_back({"layer.0.attention.received_by_token",
                    "attention a token receives per occurrence (1: its fair share; NaN: not among the probes)",
                    {vocabulary},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.many(moment.trainer());
                      std::vector<int> occurrences(static_cast<size_t>(vocabulary));
                      std::fill_n(out, vocabulary, 0.0);
                      for (int s = 0; s < probe.sequences(); ++s)
                        for (int j = 0; j < context; ++j) ++occurrences[static_cast<size_t>(token(probe, s, j))];
                      each_weight(moment, probe, 0,
                                  [&](int s, int, int j, float weight) { out[token(probe, s, j)] += weight; });
                      for (int v = 0; v < vocabulary; ++v)
                        out[v] = occurrences[static_cast<size_t>(v)] > 0 ? out[v] / occurrences[static_cast<size_t>(v)]
                                                                         : std::numeric_limits<double>::quiet_NaN();
                    },
                    kStatisticsPoints});
  offers.push_back({"layer.0.attention.received_by_position",
                    "attention a position receives from all queries of its sequence",
                    {context},
                    [=](const Moment& moment, double* out) {
                      Probe& probe = moment.probes.many(moment.trainer());
                      std::fill_n(out, context, 0.0);
                      each_weight(moment, probe, 0, [&](int, int, int j, float weight) { out[j] += weight; });
                      for (int j = 0; j < context; ++j) out[j] /= probe.sequences();
                    },
                    kStatisticsPoints});
  if (context > 1)
    offer_mass("sink", "mean weight that later queries give to the first position ([BOS] where there is one)", 1,
               offers, [](const Probe&, int, int, int j) { return j == 0; });
  offer_mass("diagonal", "mean weight of a query on its own position", first_asked, offers,
             [](const Probe&, int, int i, int j) { return i == j; });
  offer_mass("identical", "mean weight of a query on positions that hold its own token", first_asked, offers,
             [token](const Probe& probe, int s, int i, int j) { return token(probe, s, i) == token(probe, s, j); });
  offer_mass("answer", "mean weight of an asked query on positions that hold the answer", first_asked, offers,
             [token, first_asked](const Probe& probe, int s, int i, int j) {
               return token(probe, s, j) == probe.answers()[(i - first_asked) * probe.sequences() + s];
             });
}

}  // namespace atto
