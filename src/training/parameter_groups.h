// Which matrices a step moves, at which rate and with which decay.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network/matrix.h"
#include "training/config.h"

namespace atto {

// Matrices that are next to each other and are updated alike. Frozen matrices are in no group.
struct ParameterGroup {
  std::span<const Matrix> matrices;
  size_t first = 0, count = 0;  // their place in the arenas, the gaps between them included
  double rate = 1;              // factor on the learning rate
  double decay = 0;             // λ, weight decay
};

// What holds for one matrix.
struct MatrixTraining {
  bool frozen = false;
  double rate = 1;   // factor on the learning rate
  double decay = 0;  // λ, weight decay

  bool operator==(const MatrixTraining&) const = default;
};

// What training.frozen, rates, weight_decay and decay say of each. Error(config) for a name that no matrix has.
std::vector<MatrixTraining> matrix_training(const TrainingConfig& config, std::span<const Matrix> matrices);

// Neighbours of which the same holds go together; frozen ones are left out. Where the same holds for all, it is one
// group of the whole arena. `groups` is written; it needs room for as many as there are matrices at most.
void group_parameters(std::span<const Matrix> matrices, size_t parameter_count, std::span<const MatrixTraining> each,
                      std::vector<ParameterGroup>& groups);

// Scales the gradients of what is moved so that together they are no longer than `most`.
void clip_gradients(double most, std::span<const ParameterGroup> groups, std::span<float> gradients);

}  // namespace atto
