// The verbs. Each returns the program's exit code and throws atto::Error for what people should hear of.
#pragma once

#include "app/options.h"

namespace atto {

int list(const Options& options);
int run_study(const Options& options);
int reproduce(const Options& options);
int show(const Options& options);
int report(const Options& options);
int figure(const Options& options);
int predict(const Options& options);
int export_runs(const Options& options);
int help(const Options& options);
int print_version();

}  // namespace atto
