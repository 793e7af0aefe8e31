// One worker of a job: trains the packs of its task, one after the other, and publishes each in the job's folder.
#pragma once

#include <functional>
#include <string>

#include "lab/cluster/cluster_job.h"
#include "lab/sweep/scheduler.h"

namespace atto {

struct WorkerOptions {
  int64_t task = 1;               // from 1
  std::filesystem::path scratch;  // a folder of its own on a local disk; made where it is missing
  std::string host, job;          // for its record
  SweepOptions sweep;             // threads, checkpoints, stop
  double publish_every = 300;     // seconds after which a pack in training is published, to lose no more
  double record_every = 15;       // seconds between two words about how far it is
  std::function<void(int64_t pack, const Progress&)> on_pack;  // after each pack that it trained
};

enum class WorkerEnd { done, stopped };

// Every pack of the task is published when this returns `done`. `stopped`: asked to by options.sweep.stop, with the
// pack in training published as it stands, checkpoints and all. Packs that are published already are passed over, and
// one that a worker began elsewhere is taken up there; what is left of an earlier worker in the scratch folder, too.
// Errors are recorded before they are thrown on. Error(usage) for a task that the job has not, Error(store) where the
// job was made for another engine revision, Error(config) where its study has come to other runs.
WorkerEnd work(const JobFolder& folder, const WorkerOptions& options);

}  // namespace atto
