#include "data/population.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

// Tokens of one sequence as drawn, counted through all values: the first `interchangeable` never fall, so each multiset
// of them comes once, and the others take every value.
class Odometer {
 public:
  Odometer(int length, int interchangeable, int kinds)
      : tokens_(static_cast<size_t>(length)), interchangeable_(static_cast<size_t>(interchangeable)), kinds_(kinds) {}

  const std::vector<int32_t>& tokens() const { return tokens_; }

  void advance() {
    size_t at = tokens_.size();
    while (at > 0 && tokens_[at - 1] == kinds_ - 1) --at;
    if (at == 0) return;  // that was the last
    const int32_t raised = ++tokens_[at - 1];
    for (size_t i = at; i < tokens_.size(); ++i) tokens_[i] = i < interchangeable_ ? raised : 0;
  }

  // ln of the number of orders of the interchangeable tokens, m! / Π (times a token occurs)!
  double log_orders() const {
    double sum = 0;
    int run = 0;
    for (size_t i = 0; i < interchangeable_; ++i) {
      run = i > 0 && tokens_[i] == tokens_[i - 1] ? run + 1 : 1;
      sum += std::log(static_cast<double>(i + 1) / run);
    }
    return sum;
  }

 private:
  std::vector<int32_t> tokens_;
  size_t interchangeable_;
  int32_t kinds_;
};

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

// ln of the probability of drawn tokens: the first by its frequency, each further one by the one before it.
class LogProbability {
 public:
  explicit LogProbability(const Task& task)
      : first_(logarithms(task.frequencies())), next_(logarithms(task.transitions())) {}

  double operator()(const std::vector<int32_t>& tokens) const {
    double sum = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto token = static_cast<size_t>(tokens[i]);
      const bool free = i == 0 || next_.empty();
      sum += free ? first_[token] : next_[static_cast<size_t>(tokens[i - 1]) * first_.size() + token];
    }
    return sum;
  }

 private:
  std::vector<double> first_, next_;  // [V], [V][V] or empty
};

int interchangeable(const Listing& listing, bool ordered) { return ordered ? 0 : listing.interchangeable; }

}  // namespace

std::optional<double> population_size(const TaskSpec& task, bool ordered) {
  if (!task.listing) return std::nullopt;
  const int together = interchangeable(*task.listing, ordered), kinds = task.ordinary_tokens();
  double size = std::pow(kinds, task.listing->tokens - together);
  // Multisets of m tokens of V kinds: (V-1+m choose m).
  for (int i = 1; i <= together; ++i) size = size * (kinds - 1 + i) / i;
  return std::round(size);
}

Population::Population(const Task& task, bool ordered) {
  const std::optional<double> size = population_size(task.spec(), ordered);
  if (!size) throw Error(ErrorKind::internal, "a population of sequences that cannot be listed");
  size_ = static_cast<int64_t>(*size);
  const auto count = static_cast<size_t>(size_);
  const auto context = static_cast<size_t>(task.context()), asked = static_cast<size_t>(task.asked());
  tokens_.resize(context * count);
  targets_.resize(asked * count);
  weights_.resize(count);

  constexpr size_t kLanes = 16;
  BatchMemory memory(task.shape(), kLanes);
  const Batch& batch = memory.batch;
  const Listing listing = *task.spec().listing;
  const LogProbability log_probability(task);
  Odometer drawn(listing.tokens, interchangeable(listing, ordered), task.spec().ordinary_tokens());
  for (size_t first = 0; first < count; first += kLanes) {
    const size_t samples = std::min(kLanes, count - first);
    for (size_t lane = 0; lane < samples; ++lane, drawn.advance()) {
      for (size_t i = 0; i < drawn.tokens().size(); ++i) batch.tokens[i * kLanes + lane] = drawn.tokens()[i];
      const double probability = std::exp(log_probability(drawn.tokens()) + drawn.log_orders());
      weights_[first + lane] = static_cast<float>(probability * *size);
    }
    task.answer(batch);
    for (size_t row = 0; row < context; ++row)
      std::copy_n(batch.tokens + row * kLanes, samples, tokens_.data() + row * count + first);
    for (size_t row = 0; row < asked; ++row)
      std::copy_n(batch.targets + row * kLanes, samples, targets_.data() + row * count + first);
  }
}

void Population::fill(int64_t first, const Batch& batch) const {
  const auto lanes = static_cast<size_t>(batch.lanes), samples = static_cast<size_t>(batch.samples);
  const auto count = static_cast<size_t>(size_), from = static_cast<size_t>(first);
  // Row `source` of a table [rows][size] into row `target` of the batch; padding holds token 0 and weight 0.
  const auto copy_row = [&](const auto& table, size_t source, auto* rows, size_t target) {
    const auto end = std::copy_n(table.data() + source * count + from, samples, rows + target * lanes);
    std::fill_n(end, lanes - samples, 0);
  };
  for (size_t row = 0; row < static_cast<size_t>(batch.context); ++row) copy_row(tokens_, row, batch.tokens, row);
  for (size_t row = 0; row < targets_.size() / count; ++row) {
    copy_row(targets_, row, batch.targets, row);
    copy_row(weights_, 0, batch.weights, row);
  }
}

size_t Population::bytes(const TaskSpec& task, bool ordered) {
  const auto numbers = static_cast<size_t>(task.shape.context) + static_cast<size_t>(task.shape.asked()) + 1;
  return sizeof(float) * numbers * static_cast<size_t>(population_size(task, ordered).value_or(0));
}

}  // namespace atto
