// Opening the store that the command line names.
#pragma once

#include <string>

#include "lab/store/store.h"

namespace atto {

// What the store has to say when it is opened goes to standard error. Every verb opens stores by this.
Store open_store_aloud(const std::string& path, Store::Mode mode);

}  // namespace atto
