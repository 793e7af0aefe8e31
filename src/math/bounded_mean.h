// The capital behind bounded_mean_sequence, for those who ask about one mean only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace atto {

// Logarithm of the capital that bets against `mean` have made after every `every` values, in the order of the values:
// bounded_mean_sequence of these first values holds `mean` where it is below log(1 / (1 - confidence)). Its exponential
// is an e-value. One pass over the values for all looks.
std::vector<double> bounded_mean_evidence(std::span<const double> values, double low, double high, double mean,
                                          double confidence = 0.95, size_t every = 1);

}  // namespace atto
