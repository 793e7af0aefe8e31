// What the machine has to offer.
#pragma once

#include <cstddef>

namespace atto {

// Bytes that can still be used without swapping, within the limits of the control groups this process is in.
size_t available_memory();

// Cores this process may run on.
int usable_cores();

}  // namespace atto
