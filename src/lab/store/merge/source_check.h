// Whether stores that are to be merged have all their rows. Internal to the store.
#pragma once

#include <span>

#include "lab/store/state.h"

namespace atto {

// Error(store) of the first that is damaged. They are looked at by as many threads as there are cores.
void require_whole_sources(std::span<Store::State* const> sources);

}  // namespace atto
