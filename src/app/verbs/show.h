// The three things `atto show` can show.
#pragma once

#include <string>

#include "app/options.h"
#include "lab/results/json.h"
#include "lab/store/store.h"

namespace atto {

void show_store(const Options& options, const Store& store);
void show_study(const Options& options, const Store& store);
void show_run(const Options& options, const Store& store, const RunSummary& run);

// The run whose id begins with `prefix`, if the word looks like an id at all. Error(usage) when several do,
// Error(missing) when none does and the word can be nothing else.
std::optional<RunSummary> find_run(const Store& store, const std::string& prefix);

// The run's settings; Error(store) when the store has no such thing there.
Json config_of(const Store& store, const RunSummary& run);

}  // namespace atto
