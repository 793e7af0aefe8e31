#include "training/trajectory.h"

#include "data/regression.h"
#include "network/scores_network.h"
#include "training/flow_run.h"
#include "training/scores_trainer.h"
#include "training/trainer.h"

namespace atto {

std::unique_ptr<Trajectory> make_trajectory(const RunConfig& config) {
  validate(config);
  if (config.network.form == "attention") return std::make_unique<Trainer>(config);
  if (config.training.optimizer == "flow") return std::make_unique<FlowRun>(config);
  return std::make_unique<ScoresTrainer>(config);
}

size_t estimate_memory(const RunConfig& config) {
  constexpr size_t kArenas = 4;  // parameters, gradients and at most two of the optimizer
  if (config.network.form == "scores") {
    if (config.training.optimizer == "flow") return sizeof(FlowRun);
    const Regression task = make_regression(config.data);
    const auto parameters = static_cast<size_t>(task.dimension * task.dimension + task.length);
    return ScoresNetwork::bytes(task, config.training.batch) + kArenas * sizeof(float) * parameters;
  }
  const auto task = make_task(config.data);
  const Network network(config.network, task->shape());
  return network.workspace_bytes(network.tile_lanes(config.training.batch)) +
         kArenas * sizeof(float) * network.parameter_count();
}

}  // namespace atto
