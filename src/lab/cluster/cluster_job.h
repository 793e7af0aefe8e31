// A sweep that several workers train, each on a machine of its own, and the folder through which they meet.
//
//   job.json           what there is to do; nobody changes it
//   study/NAME.toml    the study, with the files that it names
//   shards/00017.db    a pack of runs, trained: the store of that shard (lab/sweep/shard.h)
//   partial/00017.db   the same while it is in training, with its checkpoints: another machine can go on
//   tasks/0003.json    what a worker said last
//   logs/              what workers print
//
// The folder may lie on a network file system. Nothing in it is ever changed in place: files appear whole, by renaming.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

struct ClusterJob {
  std::string study;           // its name
  StudyOptions options;        // that its runs follow from
  std::string variant, sweep;  // variant_name(), sweep_hash()
  // Some of the study's runs, which somebody chose; none: all of them.
  std::vector<RunPlace> places;
  int64_t engine_revision = 0;
  int64_t tasks = 1;          // workers
  std::vector<int64_t> runs;  // of each pack; there are so many packs
  std::vector<double> costs;  // estimated, of each pack
  int threads = 0;            // of each worker; 0: every core
  double checkpoint = 30;     // seconds, as SweepOptions has them
  std::string scratch;        // where workers train; empty: what the machine says ($SLURM_TMPDIR, $TMPDIR)

  int64_t packs() const { return std::ssize(runs); }
  int64_t all_runs() const;
  // The packs of a worker, from 1: every so many of them, in order.
  std::vector<int64_t> packs_of(int64_t task) const;
};

class JobFolder {
 public:
  // A folder that holds a job; Error(missing) where there is none, Error(store) where it cannot be understood.
  explicit JobFolder(std::filesystem::path path);
  // Makes one. Error(usage) where there is a job already. The study's own file is copied, and every file next to it
  // that its runs name; Error(config) where one lies elsewhere.
  static JobFolder make(const std::filesystem::path& path, const ClusterJob& job, const Study& study,
                        const std::vector<Cell>& cells);
  static bool is_job(const std::filesystem::path& path);

  const ClusterJob& job() const { return job_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path study_file() const { return path_ / "study" / (job_.study + ".toml"); }
  std::filesystem::path shard(int64_t pack) const;
  std::filesystem::path partial(int64_t pack) const;
  std::filesystem::path task(int64_t task) const;
  std::filesystem::path logs() const { return path_ / "logs"; }
  std::vector<bool> published() const;  // of each pack; index 0 is pack 1

 private:
  JobFolder(std::filesystem::path path, ClusterJob job) : path_(std::move(path)), job_(std::move(job)) {}

  std::filesystem::path path_;
  ClusterJob job_;
};

// The runs of a job, of a study that was read with the job's options. Error(config) where they are others than those
// that were submitted.
std::vector<Run> runs_of_job(const JobFolder& folder, const Study& study, const std::vector<Cell>& cells);

// A job of these runs for `tasks` workers, in `packs` packs; both become less where there are fewer runs. Packs cost
// about the same, and every worker has as many as the others or one less.
ClusterJob plan_job(const Study& study, const StudyOptions& options, const std::vector<Run>& runs, int64_t tasks,
                    int64_t packs);

// How many packs: each takes a worker about `pack_seconds` when the whole takes one thread `seconds`.
int64_t packs_for(double seconds, double pack_seconds, int threads, int64_t tasks);

}  // namespace atto
