#include "theory/flow_run.h"

#include <cmath>

#include "data/regression.h"

namespace atto {

FlowRun::FlowRun(const RunConfig& config)
    : EmergenceRun(config), flow_(std::in_place, make_regression(config.data)), calm_(config.training) {
  validate(config);
}

void FlowRun::restore(const Snapshot& snapshot) {
  restore_weights(snapshot, {}, {});  // it has none
  flow_.emplace(make_regression(config().data));
  step_ = snapshot.step;
  calm_.restore(snapshot.calm_steps);
}

BatchResult FlowRun::evaluate() {
  flow_->advance_to(static_cast<double>(step_) * config().training.rate);
  const double loss = flow_->loss().value(flow_->state());
  calm_.see(loss);
  return {loss, 0};
}

void FlowRun::update() {
  ++step_;
  calm_.advance();
}

EmergenceMeasures FlowRun::measures() const {
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
