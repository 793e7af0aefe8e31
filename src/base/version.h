// Which program this is.
#pragma once

namespace atto {

inline constexpr const char* kVersion = "0.1.0";
// Raised whenever the same configuration would give other bits; runs of another revision are computed anew.
inline constexpr int kEngineRevision = 5;

}  // namespace atto
