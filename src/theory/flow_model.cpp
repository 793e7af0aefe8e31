#include "theory/flow_model.h"

#include <cmath>

namespace atto {

BatchResult FlowModel::gradient(int64_t step, std::span<const float>, std::span<float>, bool) {
  if (step < step_) flow_.emplace(task_, start_);
  step_ = step;
  flow_->advance_to(static_cast<double>(step) * rate_);
  return {flow_->loss().value(flow_->state()), 0};
}

EmergenceMeasures FlowModel::measures(std::span<const float>) const {
  const ReducedState& state = flow_->state();
  const ReducedLoss& loss = flow_->loss();
  const Attention attention = loss.attention(state.gap);
  const double relevant = static_cast<double>(loss.problem().repeat);
  const double others = static_cast<double>(loss.problem().length) - relevant;
  EmergenceMeasures now;
  now.expected_loss = loss.value(state, LossKind::train);
  now.test_loss = loss.value(state, LossKind::test);
  const bool repeats = loss.directions() == 2;
  now.repeated = repeats ? state.w[0] : 0;
  now.projection = repeats ? state.w[1] : state.w[0];
  now.norm = std::hypot(now.repeated, now.projection);
  now.relevant = attention.relevant;
  now.gap = state.gap;
  // The B relevant weights are equal, and so are the others.
  const auto entropy = [](double total, double count) { return total > 0 ? -total * std::log(total / count) : 0.0; };
  now.entropy = entropy(attention.relevant, relevant) + entropy(attention.rest, others);
  return now;
}

}  // namespace atto
