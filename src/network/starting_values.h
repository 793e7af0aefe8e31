// Starting values of single matrices, as network.start says them:
//
//   zero              0 everywhere
//   constant X        X everywhere
//   scale X           X times what it would start as
//   identity [X]      X (1) on the diagonal, 0 elsewhere, whatever the shape
//   orthogonal [X]    X times a random matrix with orthonormal rows or columns, whichever are fewer
//
// and as the files of network.start_file have them: the one array of a file, or that of an archive which has the name
// or the plain address of the matrix.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "network/config.h"
#include "network/matrix.h"

namespace atto {

// The random numbers of a matrix: a stream for each name and not for each place in the list, so that optional matrices
// do not shift the draws of others.
uint64_t init_stream(std::string_view name);

// What a configuration says of single matrices.
struct StartingValues {
  StartingValues() = default;
  explicit StartingValues(const NetworkConfig& config) : words(config.start), files(config.start_content) {}

  std::map<std::string, std::string> words;
  std::map<std::string, std::shared_ptr<const NumberFile>> files;
};

// Error(config) for a name that no matrix has, for a start that is none of those above, and for a file whose array has
// another shape.
void validate_start(const NetworkConfig& config, std::span<const Matrix> matrices);

// Over parameters that have their usual start.
void start_matrices(const StartingValues& start, std::span<const Matrix> matrices, uint64_t seed,
                    std::span<float> parameters);

}  // namespace atto
