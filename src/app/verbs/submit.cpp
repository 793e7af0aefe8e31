// atto submit: gives a study to a cluster, as an array of workers that each have a node.
#include <filesystem>
#include <iostream>
#include <optional>

#include "app/cluster/slurm.h"
#include "app/cluster/submit_job.h"
#include "app/job.h"
#include "app/refuse_options.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"

namespace atto {
namespace {

constexpr const char* kSubmitFooter = R"(Examples
  atto submit plateau-phase-diagram --slurm --nodes 20 --time 2:00:00 --partition cpu
  atto submit plateau-phase-diagram --slurm --nodes 20 --dry-run   the script, and nothing else
  atto submit results/jobs/plateau-phase-diagram-1a2b3c4d --slurm  what is left of a job, after a cancel or a failure

Makes a folder with the study and the script, which all nodes must see. Workers train on a local disk and publish packs
of runs in the folder. `atto status FOLDER` shows how far they are, `atto collect FOLDER` merges and judges.)";

void describe_submit(VerbOptions& options) {
  options.names("STUDY", "a study's name, a study file, or the folder of a job that is to go on").study().threads();
  describe_cluster(options);
  options.flag("--dry-run", options.target().dry_run, "print the script; write and submit nothing");
}

// `id` of the job that Slurm has made; none where nothing was submitted.
Json submission_json(const std::string& folder, const ClusterJob& job, const std::optional<std::string>& id,
                     int64_t tasks) {
  return {{"folder", folder},
          {"script", (std::filesystem::path(folder) / kJobScript).string()},
          {"job", id ? Json(*id) : Json(nullptr)},
          {"workers", tasks},
          {"packs", job.packs()},
          {"runs", job.all_runs()}};
}

void print_submitted(const JobFolder& folder, const std::string& id, int64_t tasks, const Options& options) {
  const std::string path = shell_word(folder.path().string());
  if (options.json) {
    std::cout << json_text(submission_json(folder.path().string(), folder.job(), id, tasks));
    return;
  }
  std::cout << "Submitted as job " << id << ": " << count_text(tasks, "worker") << " for "
            << count_text(folder.job().all_runs(), "run") << " of " << folder.job().study << " in "
            << count_text(folder.job().packs(), "pack") << ".\n"
            << "The script is " << (folder.path() / kJobScript).string() << "\n"
            << "How far it is:  " << options.program << " status " << path << "\n"
            << "When it is done: " << options.program << " collect " << path << shared_options_text(options) << "\n";
}

// A job that is there has its study, its workers and its packs; what Slurm should know may change.
int go_on(const Options& options) {
  refuse_options(options,
                 {"--profile", "--set", "--seeds", "--until", "--most", "--threads", "--checkpoint", "--nodes",
                  "--pack", "--folder", "--logs", "--scratch", "--program"},
                 "on a job that is there", "leave it out, or submit the study again with another --folder");
  const JobFolder folder(absolute_path(options.names.front()));
  ask_cluster(options.submit.partition);
  const JobStatus status = read_status(folder, ask_queue(folder), seconds_since_1970());
  if (status.done()) {
    if (options.json) std::cout << json_text(submission_json(folder.path().string(), folder.job(), std::nullopt, 0));
    else
      std::cout << "Nothing is left to train. Merge and judge: " << options.program << " collect "
                << shell_word(folder.path().string()) << "\n";
    return 0;
  }
  const std::vector<int64_t> left = status.to_submit();
  if (left.empty())
    throw Error(ErrorKind::usage, "every task of the job that has work left is in the queue or runs",
                "`" + options.program + " status " + folder.path().string() + "` shows them");
  const std::string script = (folder.path() / kJobScript).string();
  if (options.dry_run) {
    const std::string command = "sbatch --array=" + array_text(left) + " " + shell_word(script);
    Json planned = submission_json(folder.path().string(), folder.job(), std::nullopt, std::ssize(left));
    planned["command"] = command;
    std::cout << (options.json ? json_text(planned) : command + "\n");
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
  const PlannedJob planned = plan_for_cluster(job.study, job.runs, {}, options, options.dry_run);
  if (options.dry_run) {
    Json all = submission_json(planned.folder, planned.job, std::nullopt, planned.job.tasks);
    all["script_text"] = planned.script;
    std::cout << (options.json ? json_text(all) : planned.script);
    return 0;
  }
  const JobFolder folder = make_job(planned, job.study, job.cells, options);
  print_submitted(folder, submit_all(folder, options), folder.job().tasks, options);
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
