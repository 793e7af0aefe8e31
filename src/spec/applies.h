// Which settings mean something to a run: what a page shows controls for.
#pragma once

#include <string>
#include <vector>

#include "spec/run_spec.h"

namespace atto {

// The keys that can be changed, one at a time, such that there still is a run and it is another one: those that its
// task, network and training read. Seeds are not among them, nor what the program fills in itself (hashes). The task
// always is: what has to change with it, spec/companions.h says.
std::vector<std::string> keys_that_apply(const RunSpec& spec);

}  // namespace atto
