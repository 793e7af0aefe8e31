// A learnt logit for each head that takes part in the softmax and whose weight goes nowhere.
#pragma once

#include <string>

#include "network/layers/blocks.h"

namespace atto {

class Sink {
 public:
  Sink() = default;
  Sink(Layout& layout, const BlockConfig& config, const std::string& block)
      : present_(config.normalizer == Normalizer::sink) {
    if (present_)
      logits_ = layout.matrix(block + "sink", 1, config.heads, {Init::Kind::constant, 0}, Layout::Sums::plain);
  }

  // [H]; nullptr: there is none.
  const float* logits(const Pass& pass) const { return present_ ? pass.weights(logits_) : nullptr; }
  float* gradient(const Pass& pass) const { return present_ ? pass.gradient(logits_) : nullptr; }

 private:
  bool present_ = false;
  Matrix logits_;  // [1][H]
};

}  // namespace atto
