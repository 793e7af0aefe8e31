#include "data/task_spec.h"

#include <cmath>

#include "base/error.h"
#include "data/data_sets.h"
#include "data/diversity.h"

namespace atto {

TaskSpec describe_task(const DataConfig& config) {
  const TaskKind& kind = task_kind(config);
  if (!kind.repeats && (config.repeat > 1 || config.cross > 0 || config.schedule != DiversityKind::constant))
    throw Error(ErrorKind::config,
                "data.repeat, data.cross or data.schedule is set, but the task '" + config.task + "' repeats nothing",
                "leave them at their defaults, or take the task regression or recall");
  TaskSpec spec = kind.describe(config);
  validate_schedule(config);
  validate_sets(config, spec);
  return spec;
}

TaskSpec describe_tokens(const DataConfig& config, int first_asked, Bos bos) {
  check_context(config);
  if (config.bos && bos == Bos::never)
    throw Error(ErrorKind::config, "data.bos = true, but the task '" + config.task + "' has no [BOS] token",
                "leave data.bos false, or take the task unigram or bigram");
  TaskSpec spec;
  spec.bos = config.bos;
  spec.shape.vocabulary = static_cast<int>(config.vocab) + (config.bos ? 1 : 0);
  spec.shape.context = static_cast<int>(config.context);
  spec.shape.first_asked = first_asked;
  return spec;
}

void check_context(const DataConfig& config) {
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

ReferenceLoss guess_among_earlier(const BatchShape& shape) {
  const double earlier = shape.context - 1;
  return {"guess", earlier > 1 ? std::log((earlier - 1) / earlier * shape.vocabulary) : 0.0};
}

}  // namespace atto
