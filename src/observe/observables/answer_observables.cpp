// What is answered on the test data, by token: how wrong, instead of what, and out of the context or not.
//
// All of it is about the sequences of `loss.test` (training.test_samples of them, or the test part of a split), so the
// losses of the tokens average to loss.test, and the diagonal of the confusion to accuracy.test.
#include <cmath>
#include <limits>

#include "observe/observable.h"

namespace atto {
namespace {

// Logits and their exponentials number by number, for all test data: as much as dozens of training steps.
constexpr int64_t kAnswerPoints = 3;

template <class Measure>
void offer(const std::string& address, const std::string& help, std::vector<int64_t> shape,
           std::vector<Observable>& offers, Measure measure) {
  offers.push_back({address, help, std::move(shape),
                    [measure](const NetworkMoment& moment, double* out) { measure(moment.probes.answers(), out); },
                    kAnswerPoints, ProbeKind::answers});
}

// NaN where there is nothing to divide: a token that no test sequence asks for.
double share(double part, double whole) { return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

void offer_answers(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr || spec.attention()->task.shape.vectors()) return;
  const int64_t tokens = spec.attention()->task.shape.vocabulary;
  offer("loss.test.by_token", "mean loss of the held-out answers that are this token (NaN: never asked)", {tokens},
        offers, [](const Answers& answers, double* out) {
          for (size_t v = 0; v < answers.asked.size(); ++v) out[v] = share(answers.losses[v], answers.asked[v]);
        });
  offer("loss.test.largest", "largest loss of a single held-out answer", {}, offers,
        [](const Answers& answers, double* out) { *out = answers.largest; });
  offer("context_mass.test", "mean probability of the held-out answers on the tokens of their own context", {}, offers,
        [](const Answers& answers, double* out) { *out = share(answers.in_context, answers.total); });
  if (tokens > AnswersProbe::kMostConfused) return;
  offer("confusion.test",
        "[answer][answered]: of the held-out answers that are one token, the share at which each token has the largest "
        "logit (rows of NaN: never asked); up to " +
            std::to_string(AnswersProbe::kMostConfused) + " tokens",
        {tokens, tokens}, offers, [](const Answers& answers, double* out) {
          const size_t count = answers.asked.size();
          for (size_t i = 0; i < count * count; ++i) out[i] = share(answers.confusion[i], answers.asked[i / count]);
        });
}

}  // namespace atto
