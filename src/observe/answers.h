// What a network of attention answers on the test data, token by token.
#pragma once

#include <optional>
#include <vector>

#include "spec/live_run.h"

namespace atto {

// Sums over the answers that the test data ask for, each with its weight. Where an answer is a distribution, each token
// is the answer to the extent of its probability.
struct Answers {
  std::vector<double> asked;      // [V]: how often token v is the answer
  std::vector<double> losses;     // [V]: the cross-entropies of those answers
  std::vector<double> confusion;  // [V][V]: how often token w has the largest logit where v is the answer; or empty
  double largest = 0;             // the largest cross-entropy of a single answer
  double in_context = 0;          // the probabilities of the tokens that the context holds
  double total = 0;               // answers
};

class AnswersProbe {
 public:
  // More tokens than this leave the confusion out: V² numbers a measurement.
  static constexpr int kMostConfused = 1024;

  explicit AnswersProbe(LiveRun& run);

  const Answers& now();
  static size_t bytes(const RunSpec& spec);  // that one takes

 private:
  void add_tile(Workspace& work);
  // The answers of kLanes samples from lane `first` on.
  void add_group(Workspace& work, int query, int first);
  // Σ of the probabilities of the tokens that the query at position `query` has in its context.
  double mass_in_context(const Batch& batch, int query, int lane, double sum);

  LiveRun& run_;
  const Network& network_;
  Answers answers_;
  std::vector<double> logits_, powers_;  // [V][kLanes]: of a group of answers, and exp(logit - the largest)
  std::vector<int64_t> seen_;            // [V]: the last answer whose context held the token
  int64_t answer_number_ = 0;
  std::optional<int64_t> fresh_at_;  // step the answers belong to
};

}  // namespace atto
