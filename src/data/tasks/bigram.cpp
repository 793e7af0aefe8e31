// Bigram: predict the next token of a Markov chain whose transition matrix has low rank,
//   P = row-softmax(scale · A diag(weights) B / √R),  A[V][R] and B[R][V] standard normal, drawn from data.table.
// The first token comes from the stationary distribution π. The best loss is the conditional entropy Σ_i π_i H(P_i);
// after [BOS] nothing is known yet, and the best there is H(π).
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr int64_t kMostTokens = 4096;

std::vector<double> parse_weights(const DataConfig& config) {
  if (config.rank_weights.empty()) return std::vector<double>(static_cast<size_t>(config.rank), 1.0);
  std::vector<double> weights;
  const char* at = config.rank_weights.data();
  const char* const end = at + config.rank_weights.size();
  bool readable = true;
  while (readable) {
    while (at < end && *at == ' ') ++at;
    double weight = 0;
    const auto [stop, status] = std::from_chars(at, end, weight);
    readable = status == std::errc() && std::isfinite(weight);
    weights.push_back(weight);
    at = stop;
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    readable = readable && *at++ == ',';
  }
  if (!readable || weights.size() != static_cast<size_t>(config.rank))
    throw Error(ErrorKind::config,
                "data.rank_weights = \"" + config.rank_weights +
                    "\" is not a list of data.rank = " + std::to_string(config.rank) + " numbers",
                "write one number per rank, as in \"1, 0.5, 0.25\"");
  return weights;
}

// Row-major P[V][V].
std::vector<double> transition_matrix(const DataConfig& config) {
  const auto v = static_cast<uint32_t>(config.vocab), r = static_cast<uint32_t>(config.rank);
  const auto seed = static_cast<uint64_t>(config.table);
  const std::vector<double> weights = parse_weights(config);
  const auto a = [&](uint32_t i, uint32_t k) { return standard_normal(seed, Purpose::table, 0, i * r + k); };
  const auto b = [&](uint32_t k, uint32_t j) { return standard_normal(seed, Purpose::table, 1, k * v + j); };
  std::vector<double> p(size_t{v} * v);
  for (uint32_t k = 0; k < r; ++k) {
    std::vector<double> row(v);
    for (uint32_t j = 0; j < v; ++j) row[j] = b(k, j);
    for (uint32_t i = 0; i < v; ++i) {
      const double factor = config.scale * weights[k] * a(i, k) / std::sqrt(r);
      for (uint32_t j = 0; j < v; ++j) p[size_t{i} * v + j] += factor * row[j];
    }
  }
  for (uint32_t i = 0; i < v; ++i) {
    double* row = p.data() + size_t{i} * v;
    const double highest = *std::max_element(row, row + v);
    double total = 0;
    for (uint32_t j = 0; j < v; ++j) total += row[j] = std::exp(row[j] - highest);
    for (uint32_t j = 0; j < v; ++j) row[j] /= total;
  }
  return p;
}

// π = π P by iteration; averaging two steps on end takes care of chains that nearly alternate.
std::vector<double> stationary(const std::vector<double>& p, size_t v) {
  std::vector<double> pi(v, 1.0 / static_cast<double>(v)), next(v);
  for (int iteration = 0; iteration < 100000; ++iteration) {
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < v; ++i)
      for (size_t j = 0; j < v; ++j) next[j] += pi[i] * p[i * v + j];
    double change = 0;
    for (size_t j = 0; j < v; ++j) {
      next[j] = 0.5 * (next[j] + pi[j]);
      change = std::max(change, std::abs(next[j] - pi[j]));
    }
    pi.swap(next);
    if (change < 1e-15) break;
  }
  return pi;
}

TaskSpec describe(const DataConfig& config) {
  const int last = static_cast<int>(config.context) - 1;
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : last, Bos::if_asked);
  if (config.rank > config.vocab)
    throw Error(ErrorKind::config,
                "data.rank = " + std::to_string(config.rank) +
                    " is above data.vocab = " + std::to_string(config.vocab) + ": a V×V matrix has at most rank V",
                "lower data.rank or raise data.vocab");
  if (config.vocab > kMostTokens)
    throw Error(ErrorKind::config,
                "data.vocab = " + std::to_string(config.vocab) +
                    " is too many for the task 'bigram', whose matrix has V² entries",
                "set data.vocab to at most " + std::to_string(kMostTokens));
  if (config.exponent != 0)
    throw Error(ErrorKind::config, "data.exponent sets the frequencies of independent tokens; bigram has its own",
                "leave data.exponent at 0");
  parse_weights(config);
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
    const std::vector<double> p = transition_matrix(config);
    stationary_ = stationary(p, v);
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
    auto* words = reinterpret_cast<uint32_t*>(batch.tokens);
    const size_t lanes = static_cast<size_t>(batch.lanes);
    random_words(draw.seed, static_cast<uint32_t>(Purpose::data), draw.step, draw.first_sample,
                 (spec().drawn() + 3) / 4, words, batch.lanes);
    tables_.draw(words, nullptr, batch.tokens, lanes);
    for (int i = 1; i < spec().drawn(); ++i) {
      int32_t* row = batch.tokens + static_cast<size_t>(i) * lanes;
      tables_.draw(words + static_cast<size_t>(i) * lanes, row - lanes, row, lanes, 1);
    }
    answer(batch);
    weigh_samples(batch);
  }

  void answer(const Batch& batch) const override { ask_next(batch); }
  std::vector<double> transitions() const override { return transition_matrix(config_); }

 private:
  DataConfig config_;
  AliasTables tables_;  // the stationary distribution, then the V rows
  std::vector<double> stationary_;
  double conditional_entropy_ = 0;
};

}  // namespace

TaskKind bigram_task() { return {{"data.vocab", "data.context"}, false, describe, make_from<Bigram>}; }

}  // namespace atto
