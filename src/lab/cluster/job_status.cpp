#include "lab/cluster/job_status.h"

#include <algorithm>

namespace atto {
namespace {

constexpr double kSilence = 300;  // seconds after which a worker that says nothing counts as gone

TaskStanding standing_of(const TaskStatus& task, const Queue& queue, double now) {
  if (task.packs_done == task.packs) return TaskStanding::done;
  const auto& record = task.record;
  const bool speaks = record && record->state == TaskState::running && now - record->updated < kSilence;
  if (queue) {
    const auto found = queue->find(task.task);
    const bool never = found != queue->end() && found->second == Queued::not_submitted;
    if (never && !record) return TaskStanding::planned;
    if (!never && found != queue->end())
      return found->second == Queued::running ? TaskStanding::running : TaskStanding::waiting;
    if (speaks && record->job.empty()) return TaskStanding::running;  // somebody started it by hand
    return record && record->state == TaskState::failed ? TaskStanding::failed : TaskStanding::gone;
  }
  if (!record || record->state == TaskState::requeued) return TaskStanding::waiting;
  if (record->state == TaskState::failed) return TaskStanding::failed;
  return speaks ? TaskStanding::running : TaskStanding::gone;
}

// How long the rest takes at the pace of all workers so far. The last worker to end decides.
std::optional<double> time_left(const std::vector<TaskStatus>& tasks) {
  double cost = 0, seconds = 0;
  for (const TaskStatus& task : tasks) {
    if (!task.record) continue;
    cost += task.record->cost;
    seconds += task.record->seconds;
  }
  double most = 0, left = 0;
  int64_t running = 0;
  for (const TaskStatus& task : tasks) {
    most = std::max(most, task.cost - task.cost_done);
    left += task.cost - task.cost_done;
    running += task.standing == TaskStanding::running ? 1 : 0;
  }
  if (left <= 0) return 0.0;
  if (cost <= 0 || seconds <= 0) return std::nullopt;
  const double apart = running > 0 ? left / static_cast<double>(running) : 0;
  return std::max(most, apart) * seconds / cost;
}

}  // namespace

int64_t JobStatus::count(TaskStanding standing) const {
  return std::count_if(tasks.begin(), tasks.end(), [&](const TaskStatus& task) { return task.standing == standing; });
}

std::vector<int64_t> JobStatus::to_submit() const {
  std::vector<int64_t> left;
  for (const TaskStatus& task : tasks)
    if (task.standing == TaskStanding::failed || task.standing == TaskStanding::gone ||
        task.standing == TaskStanding::planned)
      left.push_back(task.task);
  return left;
}

JobStatus read_status(const JobFolder& folder, const Queue& queue, double now) {
  const ClusterJob& job = folder.job();
  const std::vector<bool> there = folder.published();
  JobStatus status;
  for (int64_t number = 1; number <= job.tasks; ++number) {
    TaskStatus& task = status.tasks.emplace_back();
    task.task = number;
    task.record = read_record(folder, number);
    for (const int64_t pack : job.packs_of(number)) {
      const auto place = static_cast<size_t>(pack - 1);
      ++task.packs;
      task.runs += job.runs[place];
      task.cost += job.costs[place];
      const bool begun = task.record && task.record->pack == pack;
      if (there[place]) ++task.packs_done;
      task.runs_done += there[place] ? job.runs[place] : begun ? std::min(task.record->pack_runs, job.runs[place]) : 0;
      task.cost_done += there[place] ? job.costs[place] : begun ? task.record->pack_share * job.costs[place] : 0;
    }
    task.standing = standing_of(task, queue, now);
    status.packs += task.packs;
    status.packs_done += task.packs_done;
    status.runs += task.runs;
    status.runs_done += task.runs_done;
  }
  status.seconds_left = time_left(status.tasks);
  return status;
}

}  // namespace atto
