// Fixed sequences on which attention is looked at. They are the same for every seed of a configuration, so that maps
// can be compared, no training batch ever draws them, and they repeat nothing (data/batch.h, Diversity).
#pragma once

#include <optional>
#include <string>

#include "spec/live_run.h"

namespace atto {

class Probe {
 public:
  // Of a network of attention. `sequences` is a multiple of 16. With Keep::scores a twin of the run's network is looked
  // at, by kernels that leave the scores of attention.
  Probe(const LiveRun& run, int sequences, Keep keep = Keep::nothing);

  int sequences() const { return work_.lanes; }
  static size_t bytes(const RunSpec& spec, int sequences, Keep keep = Keep::nothing);  // that one takes
  // Which keys a query sees, and how many positions there are.
  const AttentionMask& mask() const { return network_.mask(); }
  int context() const { return network_.context(); }
  // Attention weights, or scores that are kept, under the run's present parameters, for one of its addresses:
  // [head][query][key][sequence].
  const float* attention(const std::string& address);
  // The network's answer at the last position of a sequence: V logits, or the numbers of a vector.
  void answer(int sequence, double* out);
  // The sequences: tokens [position][sequence], or vectors [position][feature][sequence]; the answers of the asked
  // positions, [asked][sequence]; and which positions hold what the last query needs, [position][sequence].
  const int32_t* tokens() const { return drawn_.batch.tokens; }
  const float* inputs() const { return drawn_.batch.inputs; }
  const int32_t* answers() const { return drawn_.batch.targets; }
  const float* relevant() const { return drawn_.batch.relevant; }

 private:
  void refresh();  // the activations, if they are of an earlier step

  const Trainer& trainer_;
  Network network_;  // the run's, but asked at every position
  Workspace work_;
  BatchMemory drawn_;
  std::optional<int64_t> fresh_at_;  // step the activations belong to
};

}  // namespace atto
