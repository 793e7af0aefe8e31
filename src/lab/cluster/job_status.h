// How far a job is, read from its folder alone: no store is opened and no study expanded, so it takes no time however
// many runs there are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/cluster/cluster_job.h"
#include "lab/cluster/task_record.h"

namespace atto {

// What the queue of the cluster says of a task. Of a job that was never submitted there is no queue to ask.
enum class Queued { waiting, running, not_submitted };

// The tasks that are in the queue; nothing where the queue cannot be asked.
using Queue = std::optional<std::map<int64_t, Queued>>;

// `gone`: neither finished nor in the queue, because it was cancelled or killed. `planned`: nobody has submitted it or
// started its worker.
enum class TaskStanding { done, running, waiting, failed, gone, planned };
template <>
struct EnumWords<TaskStanding> {
  static constexpr std::array words{"done", "running", "waiting", "failed", "gone", "planned"};
};

struct TaskStatus {
  int64_t task = 1;
  TaskStanding standing = TaskStanding::waiting;
  int64_t packs = 0, packs_done = 0;
  int64_t runs = 0, runs_done = 0;  // with those of the pack in training
  double cost = 0, cost_done = 0;
  std::optional<TaskRecord> record;
};

struct JobStatus {
  std::vector<TaskStatus> tasks;
  int64_t packs = 0, packs_done = 0;
  int64_t runs = 0, runs_done = 0;
  std::optional<double> seconds_left;  // at the pace so far with the workers that run now, or all that are left

  bool done() const { return packs_done == packs; }
  int64_t count(TaskStanding standing) const;
  std::vector<int64_t> to_submit() const;  // tasks that nobody works at or will
};

// `now` in seconds since 1970. Without a queue a task runs if its worker has spoken in the last five minutes.
JobStatus read_status(const JobFolder& folder, const Queue& queue, double now);

}  // namespace atto
