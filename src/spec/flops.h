// How much computation a training step takes.
#pragma once

#include <optional>

#include "spec/run_spec.h"

namespace atto {

// Floating-point operations of one training step by the usual count, whatever a kernel saves of it: two for every
// multiply-add of a matrix product or of attention, at every position, and twice as many again for the gradient, so
// six in all. Norms, nonlinearities and the optimizer are left out. Nothing for the theory's runs, which have no
// network of matrices.
std::optional<double> flops_per_step(const RunSpec& spec);

}  // namespace atto
