// Fixed sequences on which attention is looked at. They are the same for every seed of a configuration, so that maps
// can be compared, and no training batch ever draws them.
#pragma once

#include <optional>
#include <string>

#include "training/trainer.h"

namespace atto {

class Probe {
 public:
  // `sequences` is a multiple of 16.
  Probe(const Trainer& trainer, int sequences);

  int sequences() const { return work_.lanes; }
  // Attention weights under the trainer's present parameters, for one of its addresses: [query][key][sequence].
  const float* attention(const Trainer& trainer, const std::string& address);
  // Tokens, [position][sequence], and the answers of the asked positions, [asked][sequence].
  const int32_t* tokens() const { return drawn_.batch.tokens; }
  const int32_t* answers() const { return drawn_.batch.targets; }

 private:
  Network network_;  // the trainer's, but asked at every position
  Workspace work_;
  BatchMemory drawn_;
  std::optional<int64_t> fresh_at_;  // step the activations belong to
};

}  // namespace atto
