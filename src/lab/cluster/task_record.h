// What the worker of a task said last. Only that worker writes it; `atto status` reads all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/words.h"
#include "lab/cluster/cluster_job.h"

namespace atto {

enum class TaskState { running, requeued, stopped, failed, done };
template <>
struct EnumWords<TaskState> {
  static constexpr std::array words{"running", "requeued", "stopped", "failed", "done"};
};

struct TaskRecord {
  TaskState state = TaskState::running;
  std::string host, job;         // the machine, and what the cluster calls the job
  int64_t attempt = 1;           // how often a worker has begun
  int64_t pack = 0;              // in training
  int64_t pack_runs = 0;         // of it, finished
  double pack_share = 0;         // 0..1, of its cost
  double seconds = 0, cost = 0;  // of training by all attempts: how long, and how much was done
  double updated = 0;            // seconds since 1970
  std::string message;           // why it failed
};

double seconds_since_1970();

// Nothing where no worker has said anything yet, or what it said cannot be read.
std::optional<TaskRecord> read_record(const JobFolder& folder, int64_t task);
void write_record(const JobFolder& folder, int64_t task, TaskRecord record);  // with the time of now

}  // namespace atto
