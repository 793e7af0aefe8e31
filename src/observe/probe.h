// A few fixed sequences on which attention is looked at. They are the same for every seed of a configuration, so that
// maps can be compared, and no training batch ever draws them.
#pragma once

#include <optional>

#include "training/trainer.h"

namespace atto {

class Probe {
 public:
  static constexpr int kSequences = 16;  // a group of lanes
  static constexpr int kShown = 4;       // of these, the ones whose maps are recorded

  explicit Probe(const Trainer& trainer);

  // Attention weights under the trainer's present parameters, for one of its addresses: [query][key][sequence], C·C·16
  // numbers.
  const float* attention(const Trainer& trainer, const std::string& address);
  int32_t token(int sequence, int position) const;

 private:
  Network network_;  // the trainer's, but asked at every position
  Workspace work_;
  std::optional<int64_t> fresh_at_;  // step the activations belong to
};

}  // namespace atto
