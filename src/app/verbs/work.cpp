// atto work: one worker of a job. The script that `submit` writes starts it.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/cluster/slurm.h"
#include "app/interrupt.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/cluster/task_record.h"
#include "lab/cluster/worker.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkFooter = R"(Examples
  atto work results/jobs/mine-1a2b3c4d --task 3    the third worker of a job

Trains the packs of its task that are not in the folder yet, one after the other. SIGUSR1, which Slurm sends before the
time limit, makes it save checkpoints, publish them and queue again. By hand it works anywhere that the folder is seen.)";

void describe_work(VerbOptions& options) {
  options.names("FOLDER", "the folder that `atto submit` made")
      .whole("--task", options.target().task, 1, 100'000, "which of the job's workers")
      .text("--scratch", options.target().submit.scratch, "DIR", "local disk to train on (default: as submitted)");
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  if (std::string node = variable("SLURMD_NODENAME"); !node.empty()) return node;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// A place of this worker's own: nodes may share a disk, and one may run several workers.
fs::path scratch_of(const ClusterJob& job, const Options& options, const std::string& host) {
  std::string place = options.submit.scratch;
  if (place.empty()) place = job.scratch;
  for (const char* name : {"SLURM_TMPDIR", "TMPDIR"})
    if (place.empty()) place = variable(name);
  if (place.empty()) place = "/tmp";
  const std::string id = variable("SLURM_JOB_ID");
  return fs::path(place) / ("atto-" + job.sweep.substr(0, 8) + "-" + (id.empty() ? "" : id + "-") +
                            std::to_string(options.task) + "-" + host);
}

// Back to the queue, with the rest. What it says last stands in the folder before Slurm ends it.
int queue_again(const JobFolder& folder, int64_t task, const std::string& id) {
  const auto note = [&](TaskState state, const std::string& message) {
    if (auto record = read_record(folder, task)) {
      record->state = state;
      record->message = message;
      write_record(folder, task, *record);
    }
  };
  note(TaskState::requeued, "");
  std::cerr << "time is nearly up: what was trained is published, and the task queues again" << std::endl;
  const std::string problem = requeue(id);
  if (problem.empty()) return 0;
  note(TaskState::failed, "it could not queue again: " + problem);
  std::cerr << "error: scontrol requeue " << id << ": " << problem << "\n  → submit what is left by hand: atto submit "
            << shell_word(folder.path().string()) << " --slurm" << std::endl;
  return 1;
}

int work_task(const Options& options) {
  if (options.task < 1) throw Error(ErrorKind::usage, "work needs the number of its task", "add --task 1");
  const JobFolder folder(fs::weakly_canonical(fs::absolute(options.names.front())));
  watch_worker_signals();
  WorkerOptions worker;
  worker.task = options.task;
  worker.host = host_name();
  worker.job = variable("SLURM_JOB_ID");
  worker.scratch = scratch_of(folder.job(), options, worker.host);
  worker.sweep.threads = folder.job().threads;
  worker.sweep.checkpoint_every = folder.job().checkpoint;
  worker.sweep.stop = &stop_requested();
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(folder.job().study);
  worker.sweep.on_progress = [&](const Progress& progress) { display.update(progress); };
  worker.on_pack = [&](int64_t pack, const Progress& progress) {
    std::cerr << "pack " << pack << " of " << folder.job().packs() << ": " << count_text(progress.total, "run")
              << " in " << duration_text(progress.seconds) << std::endl;
  };
  std::cerr << "task " << options.task << " of " << folder.job().tasks << " on " << worker.host << ", training in "
            << worker.scratch.string() << std::endl;
  const WorkerEnd end = work(folder, worker);
  display.end();
  if (end == WorkerEnd::stopped && time_is_nearly_up() && !worker.job.empty())
    return queue_again(folder, options.task, worker.job);
  std::error_code ignored;
  fs::remove_all(worker.scratch, ignored);  // all of it is published
  if (end == WorkerEnd::stopped) {
    std::cerr << "stopped: what was trained is published\n  → continue with: " << options.command << std::endl;
    return kInterruptedExit;
  }
  std::cerr << "task " << options.task << " is done" << std::endl;
  return 0;
}

}  // namespace

Verb work_verb() {
  return {.help = "Train one worker's share of a job, as the script of `submit` does",
          .footer = kWorkFooter,
          .needs_name = true,
          .takes_job = true,
          .describe = describe_work,
          .perform = work_task};
}

}  // namespace atto
