// Starting values of single matrices, as network.start says them:
//
//   zero              0 everywhere
//   constant X        X everywhere
//   scale X           X times what it would start as
//   identity [X]      X (1) on the diagonal, 0 elsewhere, whatever the shape
//   orthogonal [X]    X times a random matrix with orthonormal rows or columns, whichever are fewer
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "network/matrix.h"

namespace atto {

// The random numbers of a matrix: a stream for each name and not for each place in the list, so that optional matrices
// do not shift the draws of others.
uint64_t init_stream(std::string_view name);

// Error(config) for a name that no matrix has, and for a start that is none of those above.
void validate_start(const std::map<std::string, std::string>& start, std::span<const Matrix> matrices);

// Over parameters that have their usual start.
void start_matrices(const std::map<std::string, std::string>& start, std::span<const Matrix> matrices, uint64_t seed,
                    std::span<float> parameters);

}  // namespace atto
