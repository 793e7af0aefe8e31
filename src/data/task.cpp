#include "data/task.h"

#include <algorithm>

#include "base/error.h"
#include "data/regression.h"
#include "data/sequence_set.h"

namespace atto {

std::unique_ptr<Task> make_task(const DataConfig& config, uint64_t seed) {
  return make_task(config, describe_task(config), seed);
}

std::unique_ptr<Task> make_task(const DataConfig& config, const TaskSpec& spec, uint64_t seed) {
  return task_kind(config).make(config, spec, seed);
}

std::vector<ReferenceLoss> reference_losses(const DataConfig& config) {
  // Regression is also what networks of free scores learn, at sizes no batch of vectors has.
  if (is_regression(config)) return regression_references();
  const TaskSpec spec = describe_task(config);
  return spec.references.empty() ? make_task(config)->references() : spec.references;
}

std::optional<double> Task::best_loss() const {
  for (const ReferenceLoss& reference : references())
    if (reference.name == "best") return reference.loss;
  return std::nullopt;
}

SequenceSet Task::rows(bool) const { throw Error(ErrorKind::internal, "this task holds no sequences"); }

void Task::ask_next(const Batch& batch) const {
  const size_t lanes = static_cast<size_t>(batch.lanes);
  const size_t first_answer = static_cast<size_t>(first_asked() + (bos() ? 0 : 1)) * lanes;
  std::copy_n(batch.tokens + first_answer, static_cast<size_t>(asked()) * lanes, batch.targets);
  if (bos()) open_with_bos(batch);
}

void Task::open_with_bos(const Batch& batch) const {
  const size_t lanes = static_cast<size_t>(batch.lanes), moved = static_cast<size_t>(context() - 1) * lanes;
  std::copy_backward(batch.tokens, batch.tokens + moved, batch.tokens + moved + lanes);
  std::fill_n(batch.tokens, lanes, vocabulary() - 1);
}

}  // namespace atto
