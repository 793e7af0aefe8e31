// The whole program as a function, for main() and for Python's `atto` command.
#pragma once

namespace atto {

// Returns the exit code (docs/cli.md); nothing is thrown.
int run_program(int argc, const char* const* argv);

}  // namespace atto
