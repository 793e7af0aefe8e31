// --dry-run: what there is to train and what it takes, without training it.
#pragma once

#include <vector>

#include "app/job.h"

namespace atto {

// One line, or one object of JSON, per study, of the runs that the job lists: with --shard a share of them. Changes no
// store, and needs none. Returns the exit code.
int dry_run(const std::vector<Job>& jobs, const Options& options);

}  // namespace atto
