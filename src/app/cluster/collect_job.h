// What the workers of a job have published, brought into a store.
#pragma once

#include "app/options.h"
#include "lab/cluster/cluster_job.h"
#include "lab/store/store.h"

namespace atto {

// Error(missing) unless every pack is there.
void require_all_packs(const JobFolder& folder, const Options& options);

// Merges all packs; whole is false where the user stopped it. Error(store) for one that is not of this job.
MergeCount merge_packs(const JobFolder& folder, Store& store);

}  // namespace atto
