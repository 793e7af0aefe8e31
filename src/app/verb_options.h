// The verbs and their options, as the command line's parser knows them.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace atto {

// Adds every verb to the parser, bound to `options`, which must live as long.
void describe_verbs(CLI::App& app, Options& options);

}  // namespace atto
