#include "spec/live_run.h"

#include "theory/flow_model.h"
#include "theory/hops_flow_model.h"
#include "theory/scores_model.h"

namespace atto {

LiveRun::AnyModel LiveRun::make_model(const RunSpec& spec) {
  const RunConfig& config = spec.config();
  if (const AttentionSpec* attention = spec.attention())
    return std::make_unique<AttentionModel>(config.data, attention->task, attention->network, attention->ordered,
                                            config.training, config.seeds);
  const EmergenceSpec& emergence = *spec.emergence();
  const double rate = config.training.rate, weight = config.network.weight_start, gap = config.network.gap_start;
  if (emergence.hops > 1)
    return std::make_unique<HopsFlowModel>(emergence.hops, emergence.task.length, emergence.task.dimension, rate,
                                           weight, gap);
  if (emergence.flow)
    return std::make_unique<FlowModel>(emergence.task, rate, ReducedLoss(emergence.task).along_target(weight, gap));
  return std::make_unique<ScoresModel>(emergence.task, config.network, config.training, config.seeds);
}

LiveRun::LiveRun(const RunSpec& spec, std::span<float> parameters) : spec_(spec), model_(make_model(spec)) {
  Model& model = *std::visit([](const auto& one) -> Model* { return one.get(); }, model_);
  trainer_ = std::make_unique<Trainer>(spec.training(), model, parameters);
}

const AttentionModel* LiveRun::attention() const {
  const auto* model = std::get_if<std::unique_ptr<AttentionModel>>(&model_);
  return model ? model->get() : nullptr;
}

AttentionModel* LiveRun::attention() {
  const auto* model = std::get_if<std::unique_ptr<AttentionModel>>(&model_);
  return model ? model->get() : nullptr;
}

const EmergenceModel* LiveRun::emergence() const {
  const auto* model = std::get_if<std::unique_ptr<EmergenceModel>>(&model_);
  return model ? model->get() : nullptr;
}

}  // namespace atto
