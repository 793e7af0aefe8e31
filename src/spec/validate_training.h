// Whether the settings of the training go together. Internal to the room; all throw Error(config).
#pragma once

#include <span>

#include "network/matrix.h"
#include "spec/run_config.h"

namespace atto {

// What can be told without a network.
void validate_training(const RunConfig& config);

// What is said about single matrices and about embeddings, of a network with these.
void validate_matrices(const RunConfig& config, std::span<const Matrix> matrices);

}  // namespace atto
