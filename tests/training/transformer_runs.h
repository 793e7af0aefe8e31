// Small runs of transformers, one of each task, with most of their options on.
#pragma once

#include "spec/run_config.h"

namespace atto {

inline RunConfig small_regression() {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 6;
  config.data.dimension = 3;
  config.data.repeat = 2;
  config.data.cross = 0.3;
  config.network.width = 8;
  config.network.layers = 2;
  config.network.heads = 2;
  config.network.output = config.network.residual = config.network.biases = true;
  config.network.mlp = "gelu";
  config.network.mlp_factor = 2;
  config.network.positions = PositionKind::sinusoidal;
  config.network.mask = Mask::full;
  config.training.batch = 40;  // the last tile is cut
  config.training.rate = 0.01;
  config.training.steps = 12;
  config.training.test_samples = 50;
  return config;
}

inline RunConfig small_recall() {
  RunConfig config;
  config.data.task = "recall";
  config.data.vocab = 9;
  config.data.pairs = 4;
  config.data.context = 0;
  config.data.repeat = 2;
  config.network.width = 9;
  config.network.heads = 3;
  config.network.head_width = 2;
  config.network.layers = 2;
  config.network.output = config.network.residual = true;
  config.network.norm = NormKind::pre;
  config.network.mlp = "relu";
  config.network.positions = PositionKind::learned;
  config.network.unembedding = Tying::free;
  config.network.position_bias = BiasKind::slope;
  config.training.batch = 40;
  config.training.rate = 0.01;
  config.training.steps = 12;
  config.training.test_samples = 50;
  return config;
}

}  // namespace atto
