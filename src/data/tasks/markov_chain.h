// The transition matrix of the task markov, and where its chains start. Internal to it.
#pragma once

#include <optional>
#include <vector>

#include "data/config.h"

namespace atto {

// Throws Error(config) where the settings of the chain do not fit it.
void validate_chain(const DataConfig& config);

std::vector<double> chain_transitions(const DataConfig& config);  // P[V][V]
// The probability of each token to be the first, of a chain with transitions `p`.
std::vector<double> chain_start(const DataConfig& config, const std::vector<double>& p);

// How many contexts of so many tokens can be drawn, where some cannot.
std::optional<double> possible_contexts(const DataConfig& config, int tokens);
// Whether all contexts have the same probability: every token has as many followers, all alike, and so has the start.
bool equal_contexts(const DataConfig& config);

}  // namespace atto
