// A network's answers and attention on sequences of the caller's own, at every position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spec/run_spec.h"

namespace atto {

class ForwardPass {
 public:
  // Of a network of attention on tokens; Error(usage) for any other run.
  explicit ForwardPass(const RunSpec& spec);

  int context() const { return network_.context(); }
  int vocabulary() const { return network_.vocabulary(); }
  int layers() const { return static_cast<int>(patterns_.size()); }  // that have attention
  int heads(int layer) const;

  // `tokens` is [sequence][position], all within the vocabulary; Error(usage) where one is not.
  // Logits [sequence][position][token].
  std::vector<float> logits(std::span<const float> parameters, std::span<const int32_t> tokens);
  // Attention weights of a layer, [sequence][head][query][key].
  std::vector<float> attention(std::span<const float> parameters, std::span<const int32_t> tokens, int layer);

 private:
  size_t sequences_in(std::span<const int32_t> tokens) const;
  // Takes the sequences through the network a tile at a time: visit(first sequence, how many).
  template <class Visit>
  void each_tile(std::span<const float> parameters, std::span<const int32_t> tokens, Visit visit);

  Network network_;  // the run's, but asked at every position
  Workspace work_;
  std::vector<Rows> patterns_;  // by layer
};

}  // namespace atto
