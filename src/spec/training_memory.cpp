#include "spec/training_memory.h"

#include "data/population.h"
#include "data/regression.h"
#include "data/task.h"
#include "network/network.h"
#include "theory/flow_run.h"
#include "theory/scores_network.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

// Weights, their gradients and the optimizer's memory of them.
TrainingMemory weights_memory(const TrainingConfig& config, size_t parameter_count) {
  const size_t parameters = sizeof(float) * parameter_count;
  const size_t optimizer = sizeof(float) * optimizer_memory(config, parameter_count);
  return {parameters, optimizer, 2 * parameters + optimizer, 0};
}

TrainingMemory scores_memory(const RunConfig& config) {
  const Regression task = make_regression(config.data);
  TrainingMemory memory = weights_memory(config.training, ScoresNetwork::parameter_count(task));
  memory.total +=
      ScoresNetwork::bytes(task, config.training.gradient == GradientKind::expected ? 0 : config.training.batch);
  memory.building = target_drawing_bytes(task);
  return memory;
}

TrainingMemory network_memory(const RunConfig& config) {
  const auto task = make_task(config.data);
  const Network network(config.network, task->shape());
  TrainingMemory memory = weights_memory(config.training, network.parameter_count());
  if (config.training.frequency_rate > 0) memory.total += memory.parameters;  // a factor for each
  memory.total += network.workspace_bytes(network.tile_lanes(sequences_a_step(config))) + task->bytes();
  if (config.training.gradient == GradientKind::expected)  // with sums of gradients in double
    memory.total += Population::bytes(*task, sees_order(config.network)) + 2 * memory.parameters;
  // Tables are made from probabilities of the same size, W* from numbers twice as long.
  memory.building = is_regression(config.data) ? target_drawing_bytes(make_regression(config.data)) : 2 * task->bytes();
  return memory;
}

}  // namespace

TrainingMemory estimate_memory(const RunConfig& config) {
  if (config.network.form == Form::attention) return network_memory(config);
  if (config.training.optimizer == "flow") return {0, 0, sizeof(FlowRun), 0};
  return scores_memory(config);
}

}  // namespace atto
