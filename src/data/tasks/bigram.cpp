// Bigram: predict the next token of a Markov chain whose transition matrix has low rank,
//   P = row-softmax(scale · A diag(weights) B / √R),  A[V][R] and B[R][V] standard normal, drawn from data.table.
// The first token comes from the stationary distribution π. The best loss is the conditional entropy Σ_i π_i H(P_i);
// after [BOS] nothing is known yet, and the best there is H(π).
#include "base/error.h"
#include "data/chain.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr int64_t kMostTokens = 4096;

TaskSpec describe_bigram(const DataConfig& config) {
  const int last = static_cast<int>(config.context) - 1;
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : last, Bos::if_asked);
  validate_low_rank(config);
  if (config.vocab > kMostTokens)
    throw Error(ErrorKind::config,
                "data.vocab = " + std::to_string(config.vocab) +
                    " is too many for the task 'bigram', whose matrix has V² entries",
                "set data.vocab to at most " + std::to_string(kMostTokens));
  refuse_exponent(config);
  spec.listing = Listing{spec.drawn()};
  const auto v = static_cast<size_t>(config.vocab);
  spec.bytes = AliasTables::bytes(v + 1, v);
  spec.building = 2 * spec.bytes;  // with the probabilities they are made from
  return spec;
}

class Bigram final : public Task {
 public:
  Bigram(const DataConfig& config, const TaskSpec& spec)
      : Task(spec), config_(config), tables_(static_cast<size_t>(config.vocab)) {
    const size_t v = static_cast<size_t>(config.vocab);
    const std::vector<double> p = low_rank_transitions(config);
    stationary_ = iterate_stationary(p, v);
    tables_.reserve(v + 1);
    tables_.add(stationary_);
    for (size_t i = 0; i < v; ++i) {
      const std::span row(p.data() + i * v, v);
      tables_.add(row);
      conditional_entropy_ += stationary_[i] * entropy(row);
    }
  }

  std::vector<double> frequencies() const override { return stationary_; }
  std::vector<ReferenceLoss> references() const override {
    const bool opening_asked = bos() && first_asked() == 0;
    const double opening = opening_asked ? entropy(stationary_) - conditional_entropy_ : 0;
    return {{"best", conditional_entropy_ + opening / asked()}, {"without_context", entropy(stationary_)}};
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    draw_chain(tables_, draw, spec().drawn(), batch);
    answer(batch);
    weigh_samples(batch);
  }

  void answer(const Batch& batch) const override { ask_next(batch); }
  std::vector<double> transitions() const override { return low_rank_transitions(config_); }

 private:
  DataConfig config_;
  AliasTables tables_;  // the stationary distribution, then the V rows
  std::vector<double> stationary_;
  double conditional_entropy_ = 0;
};

}  // namespace

TaskKind bigram_task() { return {{"data.vocab", "data.context"}, false, describe_bigram, make_from<Bigram>}; }

}  // namespace atto
