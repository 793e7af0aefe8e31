// atto status: how far a job is on its cluster.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/cluster/slurm.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "lab/cluster/job_status.h"
#include "lab/results/json.h"

namespace atto {
namespace {

constexpr const char* kStatusFooter = R"(Examples
  atto status results/jobs/mine-1a2b3c4d

Reads the folder of the job and the queue of the cluster (squeue); without a queue, what the workers said last.)";

constexpr size_t kMostShown = 10;  // tasks with a problem that are listed one by one

void describe_status(VerbOptions& options) { options.names("FOLDER", "the folder that `atto submit` made"); }

Json status_json(const JobFolder& folder, const JobStatus& status) {
  Json tasks = Json::array();
  for (const TaskStatus& task : status.tasks)
    tasks.push_back({{"task", task.task},
                     {"standing", to_word(task.standing)},
                     {"packs", task.packs},
                     {"packs_done", task.packs_done},
                     {"runs", task.runs},
                     {"runs_done", task.runs_done},
                     {"host", task.record ? Json(task.record->host) : Json(nullptr)},
                     {"attempt", task.record ? task.record->attempt : 0},
                     {"message", task.record ? Json(task.record->message) : Json("")}});
  return {{"folder", folder.path().string()},
          {"study", folder.job().study},
          {"variant", folder.job().variant},
          {"done", status.done()},
          {"runs", status.runs},
          {"runs_done", status.runs_done},
          {"packs", status.packs},
          {"packs_done", status.packs_done},
          {"seconds_left", number_json(status.seconds_left)},
          {"tasks", std::move(tasks)}};
}

// Workers that ended before their work did.
void print_lost(const JobFolder& folder, const JobStatus& status, const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  if (status.count(TaskStanding::failed) + status.count(TaskStanding::gone) == 0) return;
  Table table({{"task"}, {"state"}, {"machine"}, {"what it said last", Align::left, true}});
  size_t shown = 0;
  for (const TaskStatus& task : status.tasks) {
    if (task.standing != TaskStanding::failed && task.standing != TaskStanding::gone) continue;
    if (++shown > kMostShown) continue;
    const bool failed = task.standing == TaskStanding::failed;
    table.row({std::to_string(task.task),
               {to_word(task.standing), Style::bad},
               task.record ? task.record->host : "-",
               failed                                    ? task.record->message
               : task.record && task.record->job.empty() ? "started by hand, and silent since: ended or killed"
                                                         : "not in the queue any more: cancelled or killed"});
  }
  std::cout << "\n" << table.render(terminal);
  if (shown > kMostShown) std::cout << "and " << count_text(static_cast<int64_t>(shown - kMostShown)) << " more\n";
  std::cout << "\nSubmit what is left: " << options.program << " submit " << shell_word(folder.path().string())
            << " --slurm\n";
}

void print_status(const JobFolder& folder, const JobStatus& status, const Options& options) {
  const std::string path = shell_word(folder.path().string());
  std::cout << folder.job().study << " (" << folder.job().variant << "): " << count_text(status.runs_done) << " of "
            << count_text(status.runs, "run") << " are done, " << count_text(status.packs_done) << " of "
            << count_text(status.packs, "pack") << " published\n";
  std::string workers;
  for (const TaskStanding standing : {TaskStanding::done, TaskStanding::running, TaskStanding::waiting,
                                      TaskStanding::failed, TaskStanding::gone, TaskStanding::planned})
    if (const int64_t count = status.count(standing); count > 0)
      workers += (workers.empty() ? "" : ", ") + count_text(count) + " " + to_word(standing);
  std::cout << "Workers: " << workers << "\n";
  if (status.done()) {
    std::cout << "Merge and judge: " << options.program << " collect " << path << shared_options_text(options) << "\n";
    return;
  }
  if (status.seconds_left)
    std::cout << "Left: about " << duration_text(*status.seconds_left) << " at the pace so far, waiting apart\n";
  if (const auto planned = status.count(TaskStanding::planned); planned > 0) {
    const auto first = std::find_if(status.tasks.begin(), status.tasks.end(),
                                    [](const TaskStatus& task) { return task.standing == TaskStanding::planned; });
    std::cout << "It was not submitted, and waits to be started. " << (planned == 1 ? "The worker: " : "A worker: ")
              << options.program << " work " << path << " --task " << first->task << "\n"
              << "By Slurm: " << options.program << " submit " << path << " --slurm\n";
  }
  print_lost(folder, status, options);
}

int status(const Options& options) {
  const JobFolder folder(std::filesystem::weakly_canonical(std::filesystem::absolute(options.names.front())));
  const JobStatus status = read_status(folder, ask_queue(folder), seconds_since_1970());
  if (options.json) std::cout << json_text(status_json(folder, status));
  else print_status(folder, status, options);
  return 0;
}

}  // namespace

Verb status_verb() {
  return {.help = "How far a job is on its cluster",
          .footer = kStatusFooter,
          .needs_name = true,
          .takes_job = true,
          .describe = describe_status,
          .perform = status};
}

}  // namespace atto
