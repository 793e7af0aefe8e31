// What tasks with independent tokens share: uniform or Zipf draws, and the bookkeeping of asked positions.
#pragma once

#include <algorithm>

#include "data/alias_table.h"
#include "data/task.h"
#include "kernels/kernels.h"
#include "kernels/random.h"

namespace atto {

// Tokens 0 .. V-1, independent, with given frequencies or those of Zipf (exponent 0: uniform).
class IndependentTokens {
 public:
  explicit IndependentTokens(const DataConfig& config)
      : uniform_(config.exponent == 0 && config.frequencies.empty()),
        vocab_(static_cast<uint32_t>(config.vocab)),
        frequencies_(config.frequencies.empty() ? zipf(static_cast<size_t>(config.vocab), config.exponent)
                                                : normalised(config.frequencies)),
        tables_(static_cast<size_t>(config.vocab)) {
    if (!uniform_) tables_.add(frequencies_);
  }

  const std::vector<double>& frequencies() const { return frequencies_; }

  // tokens[count][lanes]; the buffer holds `count` rounded up to a multiple of 4 rows.
  void draw(const Draw& which, int count, int32_t* tokens, int lanes) const {
    const auto purpose = static_cast<uint32_t>(Purpose::data);
    const int blocks = (count + 3) / 4;
    if (uniform_)
      return random_integers(which.seed, purpose, which.step, which.first_sample, blocks, vocab_, tokens, lanes);
    auto* words = reinterpret_cast<uint32_t*>(tokens);
    random_words(which.seed, purpose, which.step, which.first_sample, blocks, words, lanes);
    tables_.draw(words, nullptr, tokens, static_cast<size_t>(count) * static_cast<size_t>(lanes));
  }

 private:
  bool uniform_;
  uint32_t vocab_;
  std::vector<double> frequencies_;
  AliasTables tables_;
};

// The first `count` tokens of chains: the first by table 0, each further one by the table of the token before it, which
// is number 1 + token.
inline void draw_chain(const AliasTables& tables, const Draw& which, int count, const Batch& batch) {
  auto* words = reinterpret_cast<uint32_t*>(batch.tokens);
  const size_t lanes = static_cast<size_t>(batch.lanes);
  random_words(which.seed, static_cast<uint32_t>(Purpose::data), which.step, which.first_sample, (count + 3) / 4, words,
               batch.lanes);
  tables.draw(words, nullptr, batch.tokens, lanes);
  for (int i = 1; i < count; ++i) {
    int32_t* row = batch.tokens + static_cast<size_t>(i) * lanes;
    tables.draw(words + static_cast<size_t>(i) * lanes, row - lanes, row, lanes, 1);
  }
}

// The maker of a task that draws nothing for a whole run.
template <class Kind>
std::unique_ptr<Task> make_from(const DataConfig& config, const TaskSpec& spec, uint64_t) {
  return std::make_unique<Kind>(config, spec);
}

// Weight 1 for the answers of real sequences, 0 for padding.
inline void weigh_samples(const Batch& batch) {
  const size_t lanes = static_cast<size_t>(batch.lanes);
  for (int row = 0; row < batch.context - batch.first_asked; ++row) {
    float* weights = batch.weights + static_cast<size_t>(row) * lanes;
    std::fill_n(weights, batch.samples, 1.0f);
    std::fill(weights + batch.samples, weights + lanes, 0.0f);
  }
}

}  // namespace atto
