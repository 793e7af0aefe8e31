#include "spec/trajectories.h"

#include "theory/flow_run.h"
#include "theory/scores_trainer.h"
#include "training/trainer.h"

namespace atto {

std::unique_ptr<Trajectory> make_trajectory(const RunConfig& config) {
  validate(config);
  if (config.network.form == Form::attention) return std::make_unique<Trainer>(config);
  if (config.training.optimizer == "flow") return std::make_unique<FlowRun>(config);
  return std::make_unique<ScoresTrainer>(config);
}

}  // namespace atto
