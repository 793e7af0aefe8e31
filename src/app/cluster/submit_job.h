// A folder for the workers of some runs, and the array of Slurm's that starts them.
#pragma once

#include <string>
#include <vector>

#include "app/verb_options.h"
#include "lab/cluster/cluster_job.h"

namespace atto {

inline constexpr const char* kJobScript = "job.sbatch";

// Options of the verbs that give runs to a cluster.
void describe_cluster(VerbOptions& options);
// Their names but --slurm: what has no meaning without a cluster.
const std::vector<std::string>& cluster_options();

// An absolute path without detours, also of what is not there yet.
std::string absolute_path(const std::string& path);

// A job that is planned and not made yet.
struct PlannedJob {
  ClusterJob job;
  std::string folder, script;  // where it comes to be, and the text of the script
};
// Of these runs of the study, which stand at `places` (none: they are all of its runs). With `any_machine` it does not
// matter that there is no Slurm here.
PlannedJob plan_for_cluster(const Study& study, const std::vector<Run>& runs, std::vector<RunPlace> places,
                            const Options& options, bool any_machine);

// Makes the folder, with the script in it.
JobFolder make_job(const PlannedJob& planned, const Study& study, const std::vector<Cell>& cells,
                   const Options& options);
// Submits all of its tasks; the id of the job.
std::string submit_all(const JobFolder& folder, const Options& options);

}  // namespace atto
