// The gradient flow of several hops as a model, like theory/flow_model.h: a snapshot is the step alone.
#pragma once

#include <optional>

#include "theory/emergence_model.h"
#include "theory/hops_flow.h"

namespace atto {

class HopsFlowModel final : public EmergenceModel {
 public:
  // All hops are over `length` tokens and start at the same gap, so that their scores move alike.
  HopsFlowModel(int64_t hops, int64_t length, int64_t dimension, double rate, double weight_start, double gap_start);

  const std::vector<Matrix>& matrices() const override { return none_; }
  size_t parameter_count() const override { return 0; }
  void initialise(std::span<float>) const override {}
  BatchResult gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                       bool accuracy) override;
  EmergenceMeasures measures(std::span<const float> parameters) const override;
  bool flushes_denormals() const override { return false; }

 private:
  HopsLoss loss_;
  HopsState start_;
  double rate_;
  std::vector<Matrix> none_;
  std::optional<HopsFlow> flow_;  // always there
  int64_t step_ = 0;              // where it stands
};

}  // namespace atto
