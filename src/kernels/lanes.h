// Samples that kernels take at once. A row of activations is a multiple of this many floats.
#pragma once

namespace atto {

inline constexpr int kLanes = 16;

}  // namespace atto
