// atto submit: gives a study to a cluster, as an array of workers that each have a node.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/cluster/slurm.h"
#include "app/job.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/cluster/shared_file.h"
#include "lab/results/json.h"
#include "lab/sweep/machine.h"
#include "lab/sweep/time_forecast.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubmitFooter = R"(Examples
  atto submit plateau-phase-diagram --slurm --nodes 20 --time 2:00:00 --partition cpu
  atto submit plateau-phase-diagram --slurm --nodes 20 --dry-run   the script, and nothing else
  atto submit results/jobs/plateau-phase-diagram-1a2b3c4d --slurm  what is left of a job, after a cancel or a failure

Makes a folder with the study and the script, which all nodes must see. Workers train on a local disk and publish packs
of runs in the folder. `atto status FOLDER` shows how far they are, `atto collect FOLDER` merges and judges.)";

constexpr const char* kScript = "job.sbatch";

void describe_submit(VerbOptions& options) {
  SubmitOptions& submit = options.target().submit;
  options.names("STUDY", "a study's name, a study file, or the folder of a job that is to go on")
      .study()
      .threads()
      .flag("--slurm", submit.slurm, "the cluster is run by Slurm")
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
      .text("--program", submit.program, "PATH", "atto on the nodes (default: this one)")
      .flag("--dry-run", options.target().dry_run, "print the script; write and submit nothing");
}

std::string absolute(const std::string& path) { return fs::weakly_canonical(fs::absolute(path)).string(); }

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

SlurmCluster cluster_of(const Options& options) {
  try {
    return ask_cluster(options.submit.partition);
  } catch (const Error& error) {
    if (!options.dry_run || error.kind() != ErrorKind::missing) throw;
    return {};  // the script can be written anywhere
  }
}

// What one thread would take for all of it, as far as that can be said beforehand; 0 where it cannot.
double thread_seconds(const Job& job) {
  const Forecast forecast = forecast_sweep(job.study, job.runs, nullptr, 1);
  return forecast_time(job.study, job.runs, forecast, nullptr).seconds;
}

void print_submitted(const JobFolder& folder, const std::string& id, int64_t tasks, const Options& options) {
  const std::string path = shell_word(folder.path().string());
  if (options.json) {
    std::cout << json_text({{"folder", folder.path().string()},
                            {"script", (folder.path() / kScript).string()},
                            {"job", id},
                            {"workers", tasks},
                            {"packs", folder.job().packs()},
                            {"runs", folder.job().all_runs()}});
    return;
  }
  std::cout << "Submitted as job " << id << ": " << count_text(tasks, "worker") << " for "
            << count_text(folder.job().all_runs(), "run") << " of " << folder.job().study << " in "
            << count_text(folder.job().packs(), "pack") << ".\n"
            << "The script is " << (folder.path() / kScript).string() << "\n"
            << "How far it is:  " << options.program << " status " << path << "\n"
            << "When it is done: " << options.program << " collect " << path << shared_options_text(options) << "\n";
}

int go_on(const Options& options) {
  const JobFolder folder(absolute(options.names.front()));
  ask_cluster(options.submit.partition);
  const JobStatus status = read_status(folder, ask_queue(folder), seconds_since_1970());
  if (status.done()) {
    std::cout << "Nothing is left to train. Merge and judge: " << options.program << " collect "
              << shell_word(folder.path().string()) << "\n";
    return 0;
  }
  const std::vector<int64_t> left = status.to_submit();
  if (left.empty())
    throw Error(ErrorKind::usage, "every task of the job that has work left is in the queue or runs",
                "`" + options.program + " status " + folder.path().string() + "` shows them");
  const std::string script = (folder.path() / kScript).string();
  if (options.dry_run) {
    std::cout << "sbatch --array=" << array_text(left) << " " << shell_word(script) << "\n";
    return 0;
  }
  const std::string id = sbatch(script, left, options.submit);
  note_submission(folder, id);
  print_submitted(folder, id, std::ssize(left), options);
  return 0;
}

int submit(const Options& options) {
  if (!options.submit.slurm) throw Error(ErrorKind::usage, "submit needs to know what runs the cluster", "add --slurm");
  if (!options.submit.time.empty()) slurm_seconds(options.submit.time);  // a slip is told before anything is made
  if (JobFolder::is_job(options.names.front())) return go_on(options);
  const Job job = prepare(options.names.front(), options);
  const SlurmCluster cluster = cluster_of(options);
  const int64_t tasks = std::clamp<int64_t>(options.submit.nodes, 1, cluster.largest_array - 1);
  const int threads = options.threads > 0 ? options.threads : cluster.node_cores.value_or(usable_cores());
  ClusterJob plan = plan_job(job.study, options.study, job.runs, tasks,
                             packs_for(thread_seconds(job), options.submit.pack, threads, tasks));
  plan.threads = options.threads;
  plan.checkpoint = options.checkpoint;
  plan.scratch = options.submit.scratch;
  const std::string path =
      absolute(options.submit.folder.empty() ? "results/jobs/" + plan.study + "-" + plan.sweep.substr(0, 8)
                                             : options.submit.folder);
  SubmitOptions slurm = options.submit;
  if (!slurm.logs.empty()) slurm.logs = absolute(slurm.logs);
  const std::string script = sbatch_script(plan, path, own_program(options), slurm);
  if (options.dry_run) {
    std::cout << script;
    return 0;
  }
  if (tasks < options.submit.nodes)
    std::cerr << "note: an array of this cluster has at most " << tasks
              << " tasks; the packs are spread over so many\n";
  const JobFolder folder = JobFolder::make(path, plan, job.study, job.cells);
  publish_text(folder.path() / kScript, script);
  std::error_code ignored;  // sbatch says what is wrong with a folder that cannot be made
  if (!slurm.logs.empty()) fs::create_directories(slurm.logs, ignored);
  std::vector<int64_t> all;
  for (int64_t task = 1; task <= plan.tasks; ++task) all.push_back(task);
  SubmitOptions in_script;
  in_script.throttle = slurm.throttle;
  const std::string id = sbatch((folder.path() / kScript).string(), all, in_script);
  note_submission(folder, id);
  print_submitted(folder, id, plan.tasks, options);
  return 0;
}

}  // namespace

Verb submit_verb() {
  return {.help = "Give a study to a cluster, or what is left of one",
          .footer = kSubmitFooter,
          .needs_name = true,
          .describe = describe_submit,
          .perform = submit};
}

}  // namespace atto
