#include "app/cluster/cluster_rounds.h"

#include <chrono>
#include <iostream>
#include <set>
#include <thread>

#include "app/cluster/collect_job.h"
#include "app/cluster/slurm.h"
#include "app/cluster/submit_job.h"
#include "app/interrupt.h"
#include "app/terminal/text.h"
#include "base/error.h"
#include "lab/cluster/job_status.h"
#include "lab/cluster/task_record.h"
#include "lab/sweep/shard.h"

namespace atto {
namespace {

constexpr std::chrono::seconds kBetweenLooks(2);

}  // namespace

// The job of these runs: the one that is there, or a new one.
JobFolder ClusterRounds::folder_of(const Study& study, const std::vector<Run>& missing) {
  const std::string name = study.name + "-" + sweep_hash(missing).substr(0, 8);
  Options options = options_;
  options.submit.folder = (options.submit.folder.empty() ? "results/jobs" : options.submit.folder) + "/" + name;
  if (JobFolder::is_job(options.submit.folder)) return JobFolder(absolute_path(options.submit.folder));
  std::vector<RunPlace> places;
  for (const Run& run : missing) places.push_back({run.cell, run.seed});
  const PlannedJob planned = plan_for_cluster(study, missing, std::move(places), options, !options.submit.slurm);
  JobFolder folder = make_job(planned, study, expand_cells(study), options);
  std::cerr << count_text(std::ssize(missing), "run") << " for " << count_text(folder.job().tasks, "worker");
  if (options.submit.slurm) std::cerr << ", submitted as job " << submit_all(folder, options);
  else std::cerr << ": `" << options.program << " work " << shell_word(planned.folder) << " --task 1` starts the first";
  std::cerr << std::endl;
  return folder;
}

// True when all of it is there.
bool ClusterRounds::wait_for(const JobFolder& folder) {
  while (true) {
    const JobStatus status = read_status(folder, ask_queue(folder), seconds_since_1970());
    if (status.done()) return true;
    const int64_t lost = std::ssize(status.to_submit());
    const std::string path = shell_word(folder.path().string());
    if (options_.submit.slurm && lost > 0)
      throw Error(ErrorKind::resources,
                  count_text(lost, "worker") + " of the job in " + path + " failed, is gone or was not submitted",
                  "`" + options_.program + " status " + path + "` says why; then `" + options_.program + " submit " +
                      path + " --slurm`, and the same command as now");
    if (!options_.submit.wait || stop_requested()) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

SweepResult ClusterRounds::train(const Study& study, const std::vector<Run>& runs, Store& store, const SweepOptions&) {
  SweepResult result;
  std::vector<Run> missing;
  std::set<std::string> seen;
  for (const Run& run : runs) {
    if (!seen.insert(run.id).second) continue;
    if (store.has(run.id)) ++result.progress.cached;
    else missing.push_back(run);
  }
  result.progress.total = std::ssize(seen);
  result.progress.steps_fraction = 1;
  if (missing.empty()) return result;
  const JobFolder folder = folder_of(study, missing);
  waiting_for_ = folder.path().string();
  result.interrupted = !wait_for(folder) || !merge_packs(folder, store).whole;
  if (result.interrupted) return result;
  for (const Run& run : missing)
    if (!store.has(run.id))
      throw Error(ErrorKind::store, "the packs in " + waiting_for_ + " lack run " + run.id,
                  "remove the folder, and ask again");
  waiting_for_.clear();
  result.progress.done = std::ssize(missing);
  return result;
}

}  // namespace atto
