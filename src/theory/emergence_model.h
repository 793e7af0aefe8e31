// What learns single-location regression (data/regression.h) with free attention scores: trained for real or as the
// gradient flow of the theory. Both are looked at through the same few numbers.
#pragma once

#include "training/model.h"

namespace atto {

struct EmergenceMeasures {
  double expected_loss = 0;  // ½ E‖y - y*‖² over the data it learns from
  double test_loss = 0;      // the same where no token repeats across samples
  double projection = 0;     // w: W along W*/‖W*‖, less the repeated direction where there is one
  double repeated = 0;       // w̃: of that direction, W along (W* x̃) x̃ᵀ; 0 without one
  double norm = 0;           // ‖W‖
  double relevant = 0;       // Bα: attention on the relevant positions
  double gap = 0;            // Δa: their mean score less that of the others
  double entropy = 0;        // of the attention weights, in nats
};

class EmergenceModel : public Model {
 public:
  // Under these parameters; of the flow, which has none, at the step whose loss was last asked for.
  virtual EmergenceMeasures measures(std::span<const float> parameters) const = 0;

  BatchResult test(std::span<const float> parameters) final { return {measures(parameters).test_loss, 0}; }
  std::optional<double> best_loss() const final { return 0.0; }
};

}  // namespace atto
