// The toy network of the theory of emergence, trained step by step: by gradients of random batches or of the expected
// loss.
#pragma once

#include "network/config.h"
#include "network/starting_values.h"
#include "theory/emergence_model.h"
#include "theory/scores_network.h"
#include "training/config.h"

namespace atto {

class ScoresModel final : public EmergenceModel {
 public:
  ScoresModel(const Regression& task, const NetworkConfig& network, const TrainingConfig& training,
              const SeedConfig& seeds);

  const std::vector<Matrix>& matrices() const override { return matrices_; }
  size_t parameter_count() const override { return network_.parameter_count(); }
  void initialise(std::span<float> parameters) const override;
  BatchResult gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                       bool accuracy) override;
  EmergenceMeasures measures(std::span<const float> parameters) const override;

  // W [d][d] and a [1][T], where ScoresNetwork has them.
  static std::vector<Matrix> matrices(const Regression& task, const NetworkConfig& network);
  // Bytes it takes, without parameters, gradients and optimizer.
  static size_t bytes(const Regression& task, const TrainingConfig& training);

 private:
  Regression task_;
  TrainingConfig training_;
  SeedConfig seeds_;
  StartingValues start_;
  double weight_start_, gap_start_;
  std::vector<Matrix> matrices_;
  ScoresNetwork network_;
};

}  // namespace atto
