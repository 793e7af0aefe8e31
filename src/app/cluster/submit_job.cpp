#include "app/cluster/submit_job.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/cluster/slurm.h"
#include "base/error.h"
#include "base/machine.h"
#include "lab/cluster/shared_file.h"
#include "lab/sweep/time_forecast.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

// Where this program is. In a Python environment it is a script of the package, named as on $PATH.
std::string own_program(const Options& options) {
  if (!options.submit.program.empty()) return options.submit.program;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed && !program.filename().string().starts_with("python")) return program.string();
  const char* const path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const fs::path found = fs::path(rest.substr(0, rest.find(':'))) / "atto";
    if (fs::is_regular_file(found, failed)) return found.string();
    rest = rest.find(':') == std::string::npos ? "" : rest.substr(rest.find(':') + 1);
  }
  throw Error(ErrorKind::missing, "it is not known where the nodes find atto", "name its path with --program");
}

SlurmCluster cluster_of(const Options& options, bool any_machine) {
  try {
    return ask_cluster(options.submit.partition);
  } catch (const Error& error) {
    if (!any_machine || error.kind() != ErrorKind::missing) throw;
    return {};  // the script can be written anywhere
  }
}

// What one thread would take for all of it, as far as that can be said beforehand; 0 where it cannot.
double thread_seconds(const Study& study, const std::vector<Run>& runs) {
  const Forecast forecast = forecast_sweep(study, runs, nullptr, 1);
  return forecast_time(study, runs, forecast, nullptr).seconds;
}

}  // namespace

void describe_cluster(VerbOptions& options) {
  SubmitOptions& submit = options.target().submit;
  options.flag("--slurm", submit.slurm, "the cluster is run by Slurm")
      .whole("--nodes", submit.nodes, 1, 100'000, "workers, each with a whole node (default: 1)")
      .text("--time", submit.time, "H:MM:SS", "time limit of a worker, after which it queues again (default: 1:00:00)")
      .text("--partition", submit.partition, "NAME", "as sbatch takes it")
      .text("--account", submit.account, "NAME", "as sbatch takes it")
      .text("--qos", submit.qos, "NAME", "as sbatch takes it")
      .list("--sbatch", submit.sbatch, "OPTION",
            "a further option of sbatch: --sbatch=--constraint=avx512; may be repeated")
      .whole("--throttle", submit.throttle, 0, 100'000, "workers at the same time (default: as many as get a node)")
      .number("--pack", submit.pack, 1, 86'400, "seconds that a pack of runs should take a worker")
      .text("--folder", submit.folder, "DIR", "folder of the job (default: results/jobs/STUDY-...)")
      .text("--logs", submit.logs, "DIR", "folder of what workers print (default: logs in that folder)")
      .text("--scratch", submit.scratch, "DIR", "local disk to train on (default: $SLURM_TMPDIR, $TMPDIR or /tmp)")
      .text("--program", submit.program, "PATH", "atto on the nodes (default: this one)");
}

const std::vector<std::string>& cluster_options() {
  static const std::vector<std::string> names = {"--nodes",  "--time",   "--partition", "--account",
                                                 "--qos",    "--sbatch", "--pack",      "--throttle",
                                                 "--folder", "--logs",   "--scratch",   "--program"};
  return names;
}

std::string absolute_path(const std::string& path) { return fs::weakly_canonical(fs::absolute(path)).string(); }

PlannedJob plan_for_cluster(const Study& study, const std::vector<Run>& runs, std::vector<RunPlace> places,
                            const Options& options, bool any_machine) {
  const SlurmCluster cluster = cluster_of(options, any_machine);
  const int64_t tasks = std::clamp<int64_t>(options.submit.nodes, 1, cluster.largest_array - 1);
  const int threads = options.threads > 0 ? options.threads : cluster.node_cores.value_or(usable_cores());
  PlannedJob planned;
  planned.job = plan_job(study, options.study, runs, tasks,
                         packs_for(thread_seconds(study, runs), options.submit.pack, threads, tasks));
  planned.job.places = std::move(places);
  planned.job.threads = options.threads;
  planned.job.checkpoint = options.checkpoint;
  planned.job.scratch = options.submit.scratch;
  planned.folder = absolute_path(options.submit.folder.empty()
                                     ? "results/jobs/" + planned.job.study + "-" + planned.job.sweep.substr(0, 8)
                                     : options.submit.folder);
  SubmitOptions slurm = options.submit;
  if (!slurm.logs.empty()) slurm.logs = absolute_path(slurm.logs);
  planned.script = sbatch_script(planned.job, planned.folder, own_program(options), slurm);
  if (tasks < options.submit.nodes && !options.dry_run)
    std::cerr << "note: an array of this cluster has at most " << tasks
              << " tasks; the packs are spread over so many\n";
  return planned;
}

JobFolder make_job(const PlannedJob& planned, const Study& study, const std::vector<Cell>& cells,
                   const Options& options) {
  JobFolder folder = JobFolder::make(planned.folder, planned.job, study, cells);
  publish_text(folder.path() / kJobScript, planned.script);
  std::error_code ignored;  // sbatch says what is wrong with a folder that cannot be made
  if (!options.submit.logs.empty()) fs::create_directories(absolute_path(options.submit.logs), ignored);
  return folder;
}

std::string submit_all(const JobFolder& folder, const Options& options) {
  std::vector<int64_t> all;
  for (int64_t task = 1; task <= folder.job().tasks; ++task) all.push_back(task);
  SubmitOptions in_script;
  in_script.throttle = options.submit.throttle;
  std::string id = sbatch((folder.path() / kJobScript).string(), all, in_script);
  note_submission(folder, id);
  return id;
}

}  // namespace atto
