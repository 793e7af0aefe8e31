#include "training/trajectory.h"

#include <algorithm>

#include "data/regression.h"
#include "network/scores_network.h"
#include "numeric/error.h"
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

void restore_weights(const Snapshot& snapshot, std::span<float> parameters, std::span<float> optimizer) {
  if (snapshot.parameters.size() != parameters.size() || snapshot.optimizer.size() != optimizer.size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with another network or optimizer");
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), parameters.begin());
  std::copy(snapshot.optimizer.begin(), snapshot.optimizer.end(), optimizer.begin());
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
