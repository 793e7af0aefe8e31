#include "data/population.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.h"

namespace atto {
namespace {

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

// ln of the probability of drawn tokens: the first by its frequency, each further one by the one before it.
class LogProbability {
 public:
  explicit LogProbability(const Task& task) : first_(logarithms(task.start())), next_(logarithms(task.transitions())) {}

  double operator()(const std::vector<int32_t>& tokens) const {
    double sum = 0;
    for (size_t i = 0; i < tokens.size(); ++i) sum += term(tokens, i);
    return sum;
  }
  // Of token i alone; minus infinity where it cannot stand after the one before it.
  double term(const std::vector<int32_t>& tokens, size_t i) const {
    const auto token = static_cast<size_t>(tokens[i]);
    const bool free = i == 0 || next_.empty();
    return free ? first_[token] : next_[static_cast<size_t>(tokens[i - 1]) * first_.size() + token];
  }

 private:
  std::vector<double> first_, next_;  // [V], [V][V] or empty
};

int interchangeable(const Listing& listing, bool ordered) { return ordered ? 0 : listing.interchangeable; }

// Tokens of one sequence as drawn, counted through all that are possible: the first `interchangeable` never fall, so
// each multiset of them comes once, and the others take every value.
class Odometer {
 public:
  // `prune`: leave out what has probability 0.
  Odometer(int length, int interchangeable, int kinds, const LogProbability& probability, bool prune)
      : tokens_(static_cast<size_t>(length), -1),
        interchangeable_(static_cast<size_t>(interchangeable)),
        kinds_(kinds),
        probability_(probability),
        prune_(prune) {}

  const std::vector<int32_t>& tokens() const { return tokens_; }

  // To the first or the next; false after the last.
  bool advance() {
    const bool first = !std::exchange(started_, true);
    if (tokens_.empty()) return first;  // one sequence, of nothing drawn
    size_t at = first ? 0 : tokens_.size() - 1;
    while (true) {
      if (++tokens_[at] == kinds_) {
        if (at == 0) return false;
        --at;
      } else if (!prune_ || std::isfinite(probability_.term(tokens_, at))) {
        if (at + 1 == tokens_.size()) return true;
        ++at;
        tokens_[at] = at < interchangeable_ ? tokens_[at - 1] - 1 : -1;
      }
    }
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
  const LogProbability& probability_;
  bool prune_;
  bool started_ = false;
};

}  // namespace

std::optional<double> population_size(const TaskSpec& task, bool ordered) {
  if (!task.listing) return std::nullopt;
  if (task.listing->possible) return task.listing->possible;
  const int together = interchangeable(*task.listing, ordered);
  const int kinds = task.listing->kinds > 0 ? task.listing->kinds : task.ordinary_tokens();
  double size = std::pow(kinds, task.listing->tokens - together);
  // Multisets of m tokens of V kinds: (V-1+m choose m).
  for (int i = 1; i <= together; ++i) size = size * (kinds - 1 + i) / i;
  return std::round(size);
}

std::string sequence_count(double size) {
  char count[32];
  std::snprintf(count, sizeof count, size < 1e9 ? "%.0f" : "%.2g", size);
  return count;
}

SequenceSet list_population(const Task& task, bool ordered) {
  const std::optional<double> size = population_size(task.spec(), ordered);
  if (!size) throw Error(ErrorKind::internal, "a population of sequences that cannot be listed");
  SequenceSet all(task.shape(), static_cast<int64_t>(*size));

  constexpr size_t kAtOnce = 16;
  BatchMemory memory(task.shape(), kAtOnce);
  Batch& batch = memory.batch;
  const Listing listing = *task.spec().listing;
  const LogProbability log_probability(task);
  Odometer drawn(listing.tokens, interchangeable(listing, ordered), task.spec().ordinary_tokens(), log_probability,
                 listing.possible || listing.kinds > 0);
  int64_t count = 0;
  for (bool more = drawn.advance(); more;) {
    size_t lane = 0;
    for (; more && lane < kAtOnce; ++lane, more = drawn.advance()) {
      if (count + static_cast<int64_t>(lane) == all.size())
        throw Error(ErrorKind::internal, "more sequences are possible than were counted");
      for (size_t i = 0; i < drawn.tokens().size(); ++i) batch.tokens[i * kAtOnce + lane] = drawn.tokens()[i];
      const double probability = std::exp(log_probability(drawn.tokens()) + drawn.log_orders());
      all.weights()[static_cast<size_t>(count) + lane] = static_cast<float>(probability * *size);
    }
    batch.samples = static_cast<int>(lane);
    task.answer(batch);
    all.keep(count, batch);
    count += batch.samples;
  }
  if (count != all.size()) throw Error(ErrorKind::internal, "fewer sequences are possible than were counted");
  return all;
}

}  // namespace atto
