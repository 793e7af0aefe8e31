// Markov: predict the next token of a chain of order 1 whose transition matrix P is given: from a file, or of a family.
//
//   ring         from i to i + move on a ring of V tokens, with the chances of the moves
//   drift        a step forward on the ring with probability data.forward, else a step back
//   neighbours   any of the data.neighbours nearest on either side, all alike
//   low-rank     the matrix of the task bigram
//   uniform      any token
//
// The first token comes from the stationary distribution, which is uniform on a ring, or from data.start. The best loss
// is the mean over the asked positions of Σ_i π_i H(P_i), where π is the distribution of the current token there; after
// [BOS] it is the entropy of the first token.
#include "data/tasks/markov_chain.h"

#include "data/tasks/sequences.h"

namespace atto {
namespace {

TaskSpec describe_markov(const DataConfig& config) {
  const int last = static_cast<int>(config.context) - 1;
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : last, Bos::if_asked);
  refuse_exponent(config);
  validate_chain(config);
  // The contexts, without the token that is asked for: the answer is its distribution.
  spec.listing = Listing{.tokens = spec.drawn() - 1, .equal = equal_contexts(config), .soft = true};
  spec.listing->possible = possible_contexts(config, spec.listing->tokens);
  const auto v = static_cast<size_t>(config.vocab);
  spec.bytes = AliasTables::bytes(v + 1, v);
  spec.building = 2 * spec.bytes;  // with the probabilities they are made from
  return spec;
}

class Markov final : public Task {
 public:
  Markov(const DataConfig& config, const TaskSpec& spec)
      : Task(spec), config_(config), tables_(static_cast<size_t>(config.vocab)) {
    const size_t v = static_cast<size_t>(config.vocab);
    const std::vector<double> p = chain_transitions(config);
    start_ = chain_start(config, p);
    tables_.reserve(v + 1);
    tables_.add(start_);
    std::vector<double> uncertainty;  // H(P_i)
    for (size_t i = 0; i < v; ++i) {
      tables_.add({p.data() + i * v, v});
      uncertainty.push_back(entropy({p.data() + i * v, v}));
    }
    follow(p, uncertainty);
  }

  std::vector<double> frequencies() const override { return frequencies_; }
  std::vector<double> start() const override { return start_; }
  std::vector<double> transitions() const override { return chain_transitions(config_); }
  std::vector<ReferenceLoss> references() const override {
    return {{"best", best_}, {"without_context", entropy(frequencies_)}};
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    draw_chain(tables_, draw, spec().drawn(), batch);
    ask_next(batch);
    weigh_samples(batch);
  }

  // A context asks for the row of P that its current token has, and [BOS] for the one after them.
  void answer(const Batch& batch) const override {
    if (bos()) open_with_bos(batch);
    const auto lanes = static_cast<size_t>(batch.lanes);
    std::copy_n(batch.tokens + static_cast<size_t>(first_asked()) * lanes, static_cast<size_t>(asked()) * lanes,
                batch.targets);
  }

  std::vector<double> distributions() const override {
    const auto v = static_cast<size_t>(config_.vocab), width = static_cast<size_t>(vocabulary());
    const std::vector<double> p = chain_transitions(config_);
    std::vector<double> rows((v + (bos() ? 1 : 0)) * width);
    for (size_t i = 0; i < v; ++i)
      std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(i * v), v,
                  rows.begin() + static_cast<std::ptrdiff_t>(i * width));
    if (bos()) std::copy_n(start_.begin(), v, rows.begin() + static_cast<std::ptrdiff_t>(v * width));
    return rows;
  }

 private:
  // The distribution of each drawn token, from the first on: their mean, and what is left to guess at asked positions.
  void follow(const std::vector<double>& p, const std::vector<double>& uncertainty) {
    const size_t v = start_.size();
    const bool stationary = config_.start.empty();
    std::vector<double> now = start_, next(v);
    frequencies_.assign(v, 0);
    const int drawn = spec().drawn();
    for (int i = 0; i < drawn; ++i) {
      for (size_t j = 0; j < v; ++j) frequencies_[j] += now[j] / drawn;
      // Token i stands at position i, or one further after [BOS], and asks for the next.
      const int position = bos() ? i + 1 : i;
      if (position >= first_asked() && position < context())
        for (size_t j = 0; j < v; ++j) best_ += now[j] * uncertainty[j] / asked();
      if (stationary) continue;
      std::fill(next.begin(), next.end(), 0.0);
      for (size_t j = 0; j < v; ++j)
        for (size_t k = 0; now[j] > 0 && k < v; ++k) next[k] += now[j] * p[j * v + k];
      now.swap(next);
    }
    if (bos() && first_asked() == 0) best_ += entropy(start_) / asked();
    if (stationary) frequencies_ = start_;
  }

  DataConfig config_;
  AliasTables tables_;  // the start, then the V rows
  std::vector<double> start_, frequencies_;
  double best_ = 0;
};

}  // namespace

TaskKind markov_task() {
  return {{"data.vocab", "data.context", "data.chain"},
          false,
          describe_markov,
          make_from<Markov>,
          {"data.chain", "data.moves", "data.chances", "data.forward", "data.neighbours", "data.start", "data.file",
           "data.file_hash"}};
}

}  // namespace atto
