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
#include <cmath>

#include "base/error.h"
#include "data/chain.h"
#include "data/files/number_file.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr int64_t kMostTokens = 4096;
constexpr double kSumTolerance = 1e-5;  // what six digits after the point leave

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

// --- the families ---

std::vector<double> chances_of(const DataConfig& config) {
  if (!config.chances.empty()) return config.chances;
  return std::vector<double>(config.moves.size(), 1.0 / static_cast<double>(config.moves.size()));
}

void validate_ring(const DataConfig& config) {
  if (config.moves.empty())
    refuse("data.moves is empty: the walk has nowhere to go", "give one move or more, as in [-1, 1]");
  for (const double move : config.moves)
    if (move != std::round(move))
      refuse("data.moves has " + to_text(move) + ", which is no whole number of tokens", "give whole numbers");
  if (!config.chances.empty() && config.chances.size() != config.moves.size())
    refuse("data.moves has " + std::to_string(config.moves.size()) + " moves, but data.chances " +
               std::to_string(config.chances.size()) + " probabilities",
           "give one for each move, or none where all are alike");
  check_distribution("data.chances", chances_of(config));
}

// The chances of going 0, 1, .. V-1 tokens forward on the ring.
std::vector<double> ring_steps(const DataConfig& config) {
  const int64_t v = config.vocab;
  std::vector<double> steps(static_cast<size_t>(v));
  const auto add = [&](int64_t move, double chance) { steps[static_cast<size_t>((move % v + v) % v)] += chance; };
  if (config.chain == ChainKind::drift) {
    add(1, config.forward);
    add(-1, 1 - config.forward);
  } else if (config.chain == ChainKind::neighbours) {
    for (int64_t i = 1; i <= config.neighbours; ++i)
      for (const int64_t move : {i, -i}) add(move, 0.5 / static_cast<double>(config.neighbours));
  } else {
    const std::vector<double> chances = normalised(chances_of(config));
    for (size_t i = 0; i < config.moves.size(); ++i) add(static_cast<int64_t>(config.moves[i]), chances[i]);
  }
  return steps;
}

// --- from a file ---

const NumberArray& matrix_of(const DataConfig& config) {
  const NumberFile& file = number_file(config);
  const NumberArray& matrix = file.only("transitions");
  const auto v = static_cast<size_t>(config.vocab);
  if (matrix.shape != std::vector<size_t>{v, v})
    refuse(file.name + ": data.vocab = " + std::to_string(v) + " wants " + std::to_string(v) + " × " +
               std::to_string(v) + " probabilities, but the file has " + shape_text(matrix.shape),
           "set data.vocab to the number of rows, and give one row and one column for each token");
  for (size_t i = 0; i < v; ++i) {
    double sum = 0;
    for (size_t j = 0; j < v; ++j) {
      const double p = matrix.values[i * v + j];
      if (!(p >= 0 && p <= 1 + kSumTolerance))
        refuse(file.place(matrix, i, j) + ": " + to_text(p) + " is no probability of token " + std::to_string(j) +
                   " after token " + std::to_string(i),
               "give numbers from 0 to 1");
      sum += p;
    }
    if (std::abs(sum - 1) > kSumTolerance)
      refuse(file.place(matrix, i) + ": the probabilities after token " + std::to_string(i) + " sum to " +
                 to_text(sum) + ", not to 1",
             "divide each row by its sum");
  }
  return matrix;
}

// --- P and where it starts ---

bool on_a_ring(ChainKind kind) {
  return kind == ChainKind::ring || kind == ChainKind::drift || kind == ChainKind::neighbours;
}

std::vector<double> transitions_of(const DataConfig& config) {
  const auto v = static_cast<size_t>(config.vocab);
  std::vector<double> p(v * v);
  switch (config.chain) {
    case ChainKind::low_rank:
      return low_rank_transitions(config);
    case ChainKind::uniform:
      std::fill(p.begin(), p.end(), 1.0 / static_cast<double>(v));
      break;
    case ChainKind::ring:
    case ChainKind::drift:
    case ChainKind::neighbours: {
      const std::vector<double> steps = ring_steps(config);
      for (size_t i = 0; i < v; ++i)
        for (size_t step = 0; step < v; ++step) p[i * v + (i + step) % v] = steps[step];
      break;
    }
    case ChainKind::file:
      p = matrix_of(config).values;
      for (size_t i = 0; i < v; ++i) {
        const std::span row(p.data() + i * v, v);
        double sum = 0;
        for (const double value : row) sum += value;
        for (double& value : row) value /= sum;
      }
      break;
  }
  return p;
}

std::vector<double> start_of(const DataConfig& config, const std::vector<double>& p) {
  const auto v = static_cast<size_t>(config.vocab);
  if (!config.start.empty()) return normalised(config.start);
  if (config.chain == ChainKind::low_rank) return iterate_stationary(p, v);
  if (config.chain == ChainKind::file) return solve_stationary(p, v);
  return std::vector<double>(v, 1.0 / static_cast<double>(v));
}

// Tokens that can be the first have 1 here.
std::vector<double> possible_starts(const DataConfig& config, const std::vector<double>& p) {
  const auto v = static_cast<size_t>(config.vocab);
  if (!config.start.empty()) return config.start;
  if (config.chain != ChainKind::file) return std::vector<double>(v, 1);
  std::vector<double> starts(v);
  for (const size_t token : closed_class(p, v)) starts[token] = 1;
  return starts;
}

// --- the task ---

// Settings of one family that another would not look at.
void refuse_unused(const DataConfig& config) {
  const DataConfig plain;
  const auto refuse_if = [&](bool set, const std::string& key, const std::string& family) {
    if (set)
      refuse(key + " is set, but " + setting("data.chain", config.chain) + " does not use it",
             "leave it out, or set data.chain = \"" + family + "\"");
  };
  if (config.chain != ChainKind::ring) {
    refuse_if(config.moves != plain.moves, "data.moves", "ring");
    refuse_if(config.chances != plain.chances, "data.chances", "ring");
  }
  if (config.chain != ChainKind::drift) refuse_if(config.forward != plain.forward, "data.forward", "drift");
  if (config.chain != ChainKind::neighbours)
    refuse_if(config.neighbours != plain.neighbours, "data.neighbours", "neighbours");
  if (config.chain != ChainKind::file) refuse_if(!config.file.empty(), "data.file", "file");
  if (config.chain == ChainKind::low_rank) return;
  refuse_if(config.rank != plain.rank, "data.rank", "low-rank");
  refuse_if(config.scale != plain.scale, "data.scale", "low-rank");
  refuse_if(config.rank_weights != plain.rank_weights, "data.rank_weights", "low-rank");
  refuse_if(config.table != plain.table, "data.table", "low-rank");
}

void validate_chain(const DataConfig& config) {
  if (config.vocab > kMostTokens)
    refuse("data.vocab = " + std::to_string(config.vocab) +
               " is too many for the task 'markov', whose matrix has V² entries",
           "set data.vocab to at most " + std::to_string(kMostTokens));
  refuse_unused(config);
  if (config.chain == ChainKind::low_rank) validate_low_rank(config);
  if (config.chain == ChainKind::ring) validate_ring(config);
  if (config.chain == ChainKind::neighbours && 2 * config.neighbours >= config.vocab)
    refuse("data.neighbours = " + std::to_string(config.neighbours) + " on either side are more than the " +
               std::to_string(config.vocab - 1) + " other tokens of the ring",
           "set data.neighbours to less than half of data.vocab, or data.chain = \"uniform\"");
  if (config.chain == ChainKind::file) matrix_of(config);
  if (config.start.empty()) {
    if (config.chain == ChainKind::file &&
        closed_class(transitions_of(config), static_cast<size_t>(config.vocab)).empty())
      refuse(number_file(config).name +
                 ": the chain falls apart into sets of tokens that never reach each other, so "
                 "it has no stationary distribution of its own",
             "give data.start, the probabilities of the first token, or connect the sets");
    return;
  }
  check_distribution("data.start", config.start);
  if (config.start.size() != static_cast<size_t>(config.vocab))
    refuse("data.start has " + std::to_string(config.start.size()) + " probabilities, but data.vocab is " +
               std::to_string(config.vocab),
           "give one for each token, or [] for the stationary distribution");
}

// Whether all contexts have the same probability: every token has as many followers, all alike, and so has the start.
bool equal_contexts(const DataConfig& config) {
  if (!config.start.empty()) return false;
  if (config.chain == ChainKind::uniform) return true;
  if (!on_a_ring(config.chain)) return false;
  double chance = 0;
  for (const double step : ring_steps(config)) {
    if (step == 0) continue;
    if (chance != 0 && step != chance) return false;
    chance = step;
  }
  return true;
}

TaskSpec describe(const DataConfig& config) {
  const int last = static_cast<int>(config.context) - 1;
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : last, Bos::if_asked);
  refuse_exponent(config);
  validate_chain(config);
  // The contexts, without the token that is asked for: the answer is its distribution.
  spec.listing = Listing{.tokens = spec.drawn() - 1, .equal = equal_contexts(config), .soft = true};
  if (on_a_ring(config.chain) || config.chain == ChainKind::file || !config.start.empty()) {
    const std::vector<double> p = transitions_of(config);
    spec.listing->possible = count_paths(p, possible_starts(config, p), spec.listing->tokens);
  }
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
    const std::vector<double> p = transitions_of(config);
    start_ = start_of(config, p);
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
  std::vector<double> transitions() const override { return transitions_of(config_); }
  std::vector<ReferenceLoss> references() const override {
    return {{"best", best_}, {"without_context", entropy(frequencies_)}};
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
    const std::vector<double> p = transitions_of(config_);
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
          describe,
          make_from<Markov>,
          {"data.chain", "data.moves", "data.chances", "data.forward", "data.neighbours", "data.start", "data.file",
           "data.file_hash"}};
}

}  // namespace atto
