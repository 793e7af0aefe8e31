// From argv to Options. This and verb_options.cpp know the argument parser.
#pragma once

#include "app/options.h"

namespace atto {

// Throws Error(usage) with the nearest known name. `--help` and `--version` come back as the verbs "help" and
// "version".
Options parse_command_line(int argc, const char* const* argv);

}  // namespace atto
