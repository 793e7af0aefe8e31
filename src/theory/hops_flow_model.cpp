#include "theory/hops_flow_model.h"

#include <cmath>

namespace atto {

HopsFlowModel::HopsFlowModel(int64_t hops, int64_t length, int64_t dimension, double rate, double weight_start,
                             double gap_start)
    : loss_(std::vector<int64_t>(static_cast<size_t>(hops), length), dimension), rate_(rate) {
  start_.w = weight_start;
  for (size_t i = 0; i < loss_.hops(); ++i) start_.gap[i] = gap_start;
  flow_.emplace(loss_, start_);
}

BatchResult HopsFlowModel::gradient(int64_t step, std::span<const float>, std::span<float>, bool) {
  if (step < step_) flow_.emplace(loss_, start_);
  step_ = step;
  return {loss_.value(flow_->advance_to(static_cast<double>(step) * rate_)), 0};
}

EmergenceMeasures HopsFlowModel::measures(std::span<const float>) const {
  const HopsState& state = flow_->state();
  EmergenceMeasures now;
  now.expected_loss = now.test_loss = loss_.value(state);
  now.projection = state.w;
  now.norm = std::abs(state.w);
  now.relevant = loss_.relevant(state);
  now.gap = state.gap[0];
  now.entropy = loss_.entropy(state);
  return now;
}

}  // namespace atto
