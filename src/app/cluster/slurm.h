// Slurm, by its own commands: sbatch, squeue, sinfo and scontrol. Nothing here asks slurmdbd: many clusters have none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "lab/cluster/job_status.h"

namespace atto {

// What a cluster says of itself.
struct SlurmCluster {
  int64_t largest_array = 1001;   // MaxArraySize: indexes are below it
  std::optional<int> node_cores;  // of the smallest node of the partition
};

// Error(missing) where there is no Slurm or it does not answer, Error(usage) for a partition that does not exist.
SlurmCluster ask_cluster(const std::string& partition);

// "2:00:00", "90" (minutes), "1-12": seconds. Error(usage) for anything else.
int64_t slurm_seconds(const std::string& time);
// "1-3,7": as sbatch writes a list of tasks.
std::string array_text(const std::vector<int64_t>& tasks);

// The script of a job whose folder is `folder`, to be read and kept. `program` is the path of atto on the nodes.
std::string sbatch_script(const ClusterJob& job, const std::string& folder, const std::string& program,
                          const SubmitOptions& options);
// Options that hold for this submission only, as sbatch takes them.
std::vector<std::string> sbatch_options(const SubmitOptions& options);

// Submits the script for some tasks; returns the id of the job. Error(usage) with what sbatch says.
std::string sbatch(const std::string& script, const std::vector<int64_t>& tasks, const SubmitOptions& options);

// The jobs of a folder, one id a line; and what the queue says of their tasks.
void note_submission(const JobFolder& folder, const std::string& id);
Queue ask_queue(const JobFolder& folder);

// Gives the job back to the queue, to begin again later. What went wrong, or "".
std::string requeue(const std::string& job_id);

}  // namespace atto
