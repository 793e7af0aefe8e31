#include "data/tasks/markov_chain.h"

#include <cmath>
#include <span>
#include <string>

#include "base/error.h"
#include "data/chain.h"
#include "data/files/number_file.h"
#include "data/task_spec.h"

namespace atto {
namespace {

constexpr int64_t kMostChainTokens = 4096;
constexpr double kSumTolerance = 1e-5;  // what six digits after the point leave

[[noreturn]] void refuse_chain(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

// --- the families ---

std::vector<double> chances_of(const DataConfig& config) {
  if (!config.chances.empty()) return config.chances;
  return std::vector<double>(config.moves.size(), 1.0 / static_cast<double>(config.moves.size()));
}

void validate_ring(const DataConfig& config) {
  if (config.moves.empty())
    refuse_chain("data.moves is empty: the walk has nowhere to go", "give one move or more, as in [-1, 1]");
  for (const double move : config.moves)
    if (move != std::round(move))
      refuse_chain("data.moves has " + to_text(move) + ", which is no whole number of tokens", "give whole numbers");
  if (!config.chances.empty() && config.chances.size() != config.moves.size())
    refuse_chain("data.moves has " + std::to_string(config.moves.size()) + " moves, but data.chances " +
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
    refuse_chain(file.name + ": data.vocab = " + std::to_string(v) + " wants " + std::to_string(v) + " × " +
                     std::to_string(v) + " probabilities, but the file has " + shape_text(matrix.shape),
                 "set data.vocab to the number of rows, and give one row and one column for each token");
  for (size_t i = 0; i < v; ++i) {
    double sum = 0;
    for (size_t j = 0; j < v; ++j) {
      const double p = matrix.values[i * v + j];
      if (!(p >= 0 && p <= 1 + kSumTolerance))
        refuse_chain(file.place(matrix, i, j) + ": " + to_text(p) + " is no probability of token " + std::to_string(j) +
                         " after token " + std::to_string(i),
                     "give numbers from 0 to 1");
      sum += p;
    }
    if (std::abs(sum - 1) > kSumTolerance)
      refuse_chain(file.place(matrix, i) + ": the probabilities after token " + std::to_string(i) + " sum to " +
                       to_text(sum) + ", not to 1",
                   "divide each row by its sum");
  }
  return matrix;
}

// --- P and where it starts ---

bool on_a_ring(ChainKind kind) {
  return kind == ChainKind::ring || kind == ChainKind::drift || kind == ChainKind::neighbours;
}

}  // namespace

std::vector<double> chain_transitions(const DataConfig& config) {
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

std::vector<double> chain_start(const DataConfig& config, const std::vector<double>& p) {
  const auto v = static_cast<size_t>(config.vocab);
  if (!config.start.empty()) return normalised(config.start);
  if (config.chain == ChainKind::low_rank) return iterate_stationary(p, v);
  if (config.chain == ChainKind::file) return solve_stationary(p, v);
  return std::vector<double>(v, 1.0 / static_cast<double>(v));
}

namespace {

// Tokens that can be the first have 1 here.
std::vector<double> possible_starts(const DataConfig& config, const std::vector<double>& p) {
  const auto v = static_cast<size_t>(config.vocab);
  if (!config.start.empty()) return config.start;
  if (config.chain != ChainKind::file) return std::vector<double>(v, 1);
  std::vector<double> starts(v);
  for (const size_t token : closed_class(p, v)) starts[token] = 1;
  return starts;
}

// Settings of one family that another would not look at.
void refuse_unused(const DataConfig& config) {
  const DataConfig plain;
  const auto refuse_if = [&](bool set, const std::string& key, const std::string& family) {
    if (set)
      refuse_chain(key + " is set, but " + setting("data.chain", config.chain) + " does not use it",
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

}  // namespace

void validate_chain(const DataConfig& config) {
  if (config.vocab > kMostChainTokens)
    refuse_chain("data.vocab = " + std::to_string(config.vocab) +
                     " is too many for the task 'markov', whose matrix has V² entries",
                 "set data.vocab to at most " + std::to_string(kMostChainTokens));
  refuse_unused(config);
  if (config.chain == ChainKind::low_rank) validate_low_rank(config);
  if (config.chain == ChainKind::ring) validate_ring(config);
  if (config.chain == ChainKind::neighbours && 2 * config.neighbours >= config.vocab)
    refuse_chain("data.neighbours = " + std::to_string(config.neighbours) + " on either side are more than the " +
                     std::to_string(config.vocab - 1) + " other tokens of the ring",
                 "set data.neighbours to less than half of data.vocab, or data.chain = \"uniform\"");
  if (config.chain == ChainKind::file) matrix_of(config);
  if (config.start.empty()) {
    if (config.chain == ChainKind::file &&
        closed_class(chain_transitions(config), static_cast<size_t>(config.vocab)).empty())
      refuse_chain(number_file(config).name +
                       ": the chain falls apart into sets of tokens that never reach each other, so "
                       "it has no stationary distribution of its own",
                   "give data.start, the probabilities of the first token, or connect the sets");
    return;
  }
  check_distribution("data.start", config.start);
  if (config.start.size() != static_cast<size_t>(config.vocab))
    refuse_chain("data.start has " + std::to_string(config.start.size()) + " probabilities, but data.vocab is " +
                     std::to_string(config.vocab),
                 "give one for each token, or [] for the stationary distribution");
}

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

std::optional<double> possible_contexts(const DataConfig& config, int tokens) {
  if (!on_a_ring(config.chain) && config.chain != ChainKind::file && config.start.empty()) return std::nullopt;
  const std::vector<double> p = chain_transitions(config);
  return count_paths(p, possible_starts(config, p), tokens);
}

}  // namespace atto
