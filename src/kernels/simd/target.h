// Which instruction set the kernels run on. Results do not depend on it; speed does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atto {

// Names of the compiled targets this machine can run, best first: "avx3", "avx2", "sse4", "emu128".
std::vector<std::string> supported_targets();

// Uses `name` from here on, process-wide; call it before training starts. "" returns to the best one.
// Throws Error(usage) for a target that is unknown or that the machine lacks.
void pin_target(std::string_view name);
// Whether somebody has asked for the one in use.
bool target_is_pinned();
// Uses a supported one because it is the fastest: it can still be replaced, as nobody has asked for it.
void prefer_target(std::string_view name);

std::string active_target();

}  // namespace atto
