#include "data/task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/sequences.h"
#include "data/tasks.h"
#include "numeric/error.h"

namespace atto {
namespace {

// A task's line: the word a study calls it by, and its maker.
using Maker = std::unique_ptr<Task> (*)(const DataConfig& config, uint64_t seed);
constexpr std::pair<const char*, Maker> kTasks[] = {
    {"copy", make_copy},
    {"nearest", make_nearest},
    {"unigram", make_unigram},
    {"bigram", make_bigram},
};

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kTasks) names.emplace_back(name);
  return names;
}

std::unique_ptr<Task> make_task(const DataConfig& config, uint64_t seed) {
  for (const auto& [name, make] : kTasks)
    if (name == config.task) return make(config, seed);
  throw Error(ErrorKind::config, "unknown task '" + config.task + "'");
}

Task::Task(const DataConfig& config, int first_asked, bool bos)
    : shape_{static_cast<int>(config.vocab) + (bos ? 1 : 0), static_cast<int>(config.context), first_asked}, bos_(bos) {
  constexpr int64_t kLongest = 4096;
  if (config.context > kLongest)
    throw Error(
        ErrorKind::config,
        "data.context = " + std::to_string(config.context) + " is more than the task '" + config.task + "' takes",
        "at most " + std::to_string(kLongest));
  if (config.bos && !bos)
    throw Error(ErrorKind::config, "data.bos = true, but the task '" + config.task + "' has no [BOS] token",
                "leave data.bos false, or take the task unigram or bigram");
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
  weigh_samples(batch);
}

ReferenceLoss Task::guess_among_earlier() const {
  const double earlier = context() - 1;
  return {"guess", earlier > 1 ? std::log((earlier - 1) / earlier * vocabulary()) : 0.0};
}

}  // namespace atto
