// Rounds of an experiment that chooses its runs, trained by a cluster: each round is a job with a folder of its own.
#pragma once

#include <string>

#include "app/options.h"
#include "lab/cluster/cluster_job.h"
#include "lab/sweep/scheduler.h"

namespace atto {

class ClusterRounds {
 public:
  explicit ClusterRounds(const Options& options) : options_(options) {}

  // In place of run_all: what the store lacks of these runs becomes a job. Once its packs are there they are merged,
  // and the round is over. Until then it waits, with --wait, or comes back as interrupted: the same command goes on,
  // since the same runs have the same folder. Error(resources) where workers have failed.
  SweepResult train(const Study& study, const std::vector<Run>& runs, Store& store, const SweepOptions& sweep);

  // The job that a round waits for; empty where none does.
  const std::string& waiting_for() const { return waiting_for_; }

 private:
  JobFolder folder_of(const Study& study, const std::vector<Run>& missing);
  bool wait_for(const JobFolder& folder);

  const Options& options_;
  std::string waiting_for_;
};

}  // namespace atto
