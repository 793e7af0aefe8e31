// How the matrices of a block start.
#pragma once

#include <cmath>

#include "network/config.h"
#include "network/layer.h"

namespace atto {

// Uniform in ±scale/√fan_in, biases too; or normal with that deviation and biases 0.
class StartingWeights {
 public:
  explicit StartingWeights(const NetworkConfig& config)
      : kind_(config.init == InitKind::normal ? Init::Kind::normal : Init::Kind::uniform),
        scale_(config.init_scale),
        embedding_scale_(config.embedding_scale) {}

  Init matrix(int fan_in) const { return {kind_, scale_ / std::sqrt(fan_in)}; }
  Init bias(int fan_in) const {
    return kind_ == Init::Kind::normal ? Init{Init::Kind::constant, 0} : Init{kind_, scale_ / std::sqrt(fan_in)};
  }
  // A table of tokens: as a matrix, or normal with a deviation of its own.
  Init embedding(int width) const {
    return embedding_scale_ > 0 ? Init{Init::Kind::normal, embedding_scale_} : matrix(width);
  }

 private:
  Init::Kind kind_;
  double scale_, embedding_scale_;
};

}  // namespace atto
