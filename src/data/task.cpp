#include "data/task.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/diversity.h"
#include "data/regression.h"
#include "data/tasks/tasks.h"

namespace atto {
namespace {

// The defaults of a line: whatever is asked about a task, it is made and asked.
void check_by_making(const DataConfig& config) { make_task(config); }
std::vector<ReferenceLoss> references_by_making(const DataConfig& config) { return make_task(config)->references(); }

// A task's line: the word a study calls it by, and its maker. The rest is for tasks too costly to make for a question.
struct TaskLine {
  const char* name;
  std::unique_ptr<Task> (*make)(const DataConfig& config, uint64_t seed);
  void (*check)(const DataConfig& config) = check_by_making;
  std::vector<ReferenceLoss> (*references)(const DataConfig& config) = references_by_making;
};
constexpr TaskLine kTasks[] = {
    {"copy", make_copy},       {"nearest", make_nearest},
    {"unigram", make_unigram}, {"bigram", make_bigram},
    {"recall", make_recall},   {"regression", make_regression_task, check_regression, regression_references},
};

const TaskLine& line(const DataConfig& config) {
  for (const TaskLine& one : kTasks)
    if (one.name == config.task) return one;
  throw Error(ErrorKind::config, "unknown task '" + config.task + "'");
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskLine& one : kTasks) names.emplace_back(one.name);
  return names;
}

std::unique_ptr<Task> make_task(const DataConfig& config, uint64_t seed) { return line(config).make(config, seed); }

// The limits each task sets are its own.
void validate(const DataConfig& config) {
  const bool repeats = config.task == "recall" || is_regression(config);
  if (!repeats && (config.repeat > 1 || config.cross > 0 || config.schedule != DiversityKind::constant))
    throw Error(ErrorKind::config,
                "data.repeat, data.cross or data.schedule is set, but the task '" + config.task + "' repeats nothing",
                "leave them at their defaults, or take the task regression or recall");
  line(config).check(config);
  validate_schedule(config);
}

std::vector<ReferenceLoss> reference_losses(const DataConfig& config) { return line(config).references(config); }

Task::Task(const DataConfig& config, int first_asked, bool bos)
    : shape_{static_cast<int>(config.vocab) + (bos ? 1 : 0), static_cast<int>(config.context), first_asked}, bos_(bos) {
  check_context(config);
  if (config.bos && !bos)
    throw Error(ErrorKind::config, "data.bos = true, but the task '" + config.task + "' has no [BOS] token",
                "leave data.bos false, or take the task unigram or bigram");
}

void Task::check_context(const DataConfig& config) {
  constexpr int64_t kLongest = 4096;
  if (config.context == 0)
    throw Error(ErrorKind::config, "data.context = 0 leaves the task '" + config.task + "' nothing to look at",
                "set data.context to at least 1; only recall knows its context by itself");
  if (config.context > kLongest)
    throw Error(
        ErrorKind::config,
        "data.context = " + std::to_string(config.context) + " is more than the task '" + config.task + "' takes",
        "at most " + std::to_string(kLongest));
}

std::optional<double> Task::best_loss() const {
  for (const ReferenceLoss& reference : references())
    if (reference.name == "best") return reference.loss;
  return std::nullopt;
}

void Task::ask_next(const Batch& batch) const {
  const size_t lanes = static_cast<size_t>(batch.lanes);
  const size_t first_answer = static_cast<size_t>(first_asked() + (bos_ ? 0 : 1)) * lanes;
  std::copy_n(batch.tokens + first_answer, static_cast<size_t>(asked()) * lanes, batch.targets);
  if (bos_) {
    std::copy_backward(batch.tokens, batch.tokens + static_cast<size_t>(context() - 1) * lanes,
                       batch.tokens + static_cast<size_t>(context()) * lanes);
    std::fill_n(batch.tokens, lanes, vocabulary() - 1);
  }
}

ReferenceLoss Task::guess_among_earlier() const {
  const double earlier = context() - 1;
  return {"guess", earlier > 1 ? std::log((earlier - 1) / earlier * vocabulary()) : 0.0};
}

}  // namespace atto
