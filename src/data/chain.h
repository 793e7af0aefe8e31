// Markov chains of order 1: the transition matrices that tasks draw from.
#pragma once

#include <cstddef>
#include <vector>

#include "data/config.h"

namespace atto {

// Row-major P[V][V], P[i][j] the probability of token j after token i.

// P = row-softmax(scale · A diag(weights) B / √R), A[V][R] and B[R][V] standard normal, drawn from data.table.
std::vector<double> low_rank_transitions(const DataConfig& config);
// Throws Error(config) where data.rank or data.rank_weights does not fit.
void validate_low_rank(const DataConfig& config);

// π = π P by iteration, for chains without zeros.
std::vector<double> iterate_stationary(const std::vector<double>& p, size_t v);

// The tokens that the chain comes back to for ever, wherever it starts. Empty where that depends on the start: some
// tokens cannot be reached from others, nor these from them.
std::vector<size_t> closed_class(const std::vector<double>& p, size_t v);
// The one π = π P of a chain with such a class, exact also for chains that alternate, by elimination.
std::vector<double> solve_stationary(const std::vector<double>& p, size_t v);

// How many sequences of `length` tokens a chain can give; infinite where that is beyond any list.
double count_paths(const std::vector<double>& p, const std::vector<double>& start, int length);

}  // namespace atto
