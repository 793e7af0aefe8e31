// A setting that brings others with it. A task, a form of network or an optimizer may not fit what else is set; a page
// that offers it must know what to change besides.
#pragma once

#include <map>
#include <string>

#include "spec/run_spec.h"

namespace atto {

// The settings, with their values, that make a run of `config` with `key` set to `value`: that one, and of its table as
// few others as can be found. What stands in the way goes back to its default, if need be with all of another table; a
// task brings what it can be tried with (TaskKind::example). Throws Error(config) where that does not help either.
std::map<std::string, Value> with_companions(const RunConfig& config, const std::string& key, const Value& value);

}  // namespace atto
