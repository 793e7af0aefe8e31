// The engine's transformer on the reference's terms.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "network/network.h"
#include "reference/transformer_reference.h"

namespace atto::reference {

inline BatchShape batch_shape(const TransformerShape& shape) {
  if (shape.tokens) return {shape.inputs, shape.context, shape.first_asked};
  return {0, shape.context, shape.first_asked, shape.inputs, shape.outputs};
}

inline NetworkConfig config_of(const TransformerShape& shape) {
  NetworkConfig config;
  config.width = shape.width;
  config.layers = shape.layers;
  config.heads = shape.heads;
  if (shape.head_width != shape.width / shape.heads) config.head_width = shape.head_width;
  if (shape.stacked) config.stack = shape.parts;
  config.positions = shape.rotary ? PositionKind::rotary : from_word<PositionKind>(name_of(shape.positions));
  config.mask = !shape.own ? Mask::earlier : shape.causal ? Mask::causal : Mask::full;
  config.window = shape.window;
  config.stride = shape.stride;
  config.kernel = std::array{"dot", "distance", "inverse", "none"}[static_cast<size_t>(shape.scores)];
  config.kernel_power = shape.power;
  config.normalizer = static_cast<Normalizer>(shape.weights);  // the same order
  config.qk_norm = shape.qk_norm;
  config.gate = shape.gate;
  using Bias = TransformerShape::Bias;
  config.position_bias = shape.position_bias == Bias::slope  ? BiasKind::slope
                         : shape.position_bias == Bias::free ? BiasKind::free
                                                             : BiasKind::none;
  config.output = shape.output;
  config.residual = shape.residual;
  config.norm = shape.norm ? NormKind::pre : NormKind::none;
  config.biases = shape.biases;
  config.unembedding = shape.tied ? Tying::tied : Tying::free;
  using Mlp = TransformerShape::Mlp;
  config.mlp = shape.mlp == Mlp::gelu ? "gelu" : shape.mlp == Mlp::relu ? "relu" : "none";
  config.mlp_factor = shape.mlp_factor;
  return config;
}

inline std::vector<float> to_arena(const Network& network, const Matrices<double>& matrices) {
  std::vector<float> arena(network.parameter_count());
  EXPECT_EQ(network.matrices().size(), matrices.size());
  for (const Matrix& matrix : network.matrices()) {
    const auto found = matrices.find(matrix.name);
    if (found == matrices.end() || found->second.size() != matrix.size()) {
      ADD_FAILURE() << matrix.name << " is missing or has another size";
      continue;
    }
    std::copy(found->second.begin(), found->second.end(), arena.begin() + static_cast<std::ptrdiff_t>(matrix.offset));
  }
  return arena;
}

struct TransformerResult {
  double loss = 0;
  std::vector<float> gradients;  // arena
};

// Loss and gradients of `batch`, cut into tiles of `lanes` samples. Padding lanes hold rubbish of weight 0.
inline TransformerResult evaluate(const Network& network, const TransformerShape& shape, std::span<const float> arena,
                                  const TransformerBatch& batch, int lanes) {
  Workspace work = network.make_workspace(lanes);
  TransformerResult result;
  result.gradients.resize(network.parameter_count());
  const double share = 1.0 / (batch.samples * batch.asked);
  const int C = shape.context, Q = C - shape.first_asked;
  for (int first = 0; first < batch.samples; first += lanes) {
    Batch& tile = work.batch();
    tile.samples = std::min(lanes, batch.samples - first);
    for (int lane = 0; lane < lanes; ++lane) {
      const bool real = lane < tile.samples;
      const int b = real ? first + lane : 0;
      for (int t = 0; t < C && shape.tokens; ++t) tile.tokens[t * lanes + lane] = at(batch.tokens, C, b, t);
      for (int q = 0; q < Q; ++q) {
        if (shape.tokens) tile.targets[q * lanes + lane] = at(batch.targets, Q, b, q);
        const double weight = shape.tokens ? batch.weights[static_cast<size_t>(q)] : 1.0;
        tile.weights[q * lanes + lane] = real ? static_cast<float>(weight) : 0.0f;
      }
      if (shape.tokens) continue;
      for (int i = 0; i < C * shape.inputs; ++i)
        tile.inputs[i * lanes + lane] = static_cast<float>(at(batch.inputs, C * shape.inputs, b, i));
      for (int i = 0; i < shape.outputs; ++i)
        tile.answers[i * lanes + lane] = static_cast<float>(at(batch.answers, shape.outputs, b, i));
    }
    network.loss_and_gradient(arena.data(), result.gradients.data(), work, static_cast<float>(share));
  }
  network.finish_gradients(result.gradients.data(), work);
  result.loss = work.sums.loss * share;
  return result;
}

// Every entry to within `tolerance` of the largest of all: some gradients (of b_K) are zero by symmetry, so a matrix
// has no scale of its own.
inline void expect_gradients(const Network& network, const std::vector<float>& actual, const Matrices<double>& expected,
                             double tolerance) {
  double largest = 0;
  for (const auto& [name, values] : expected)
    for (const double value : values) largest = std::max(largest, std::abs(value));
  for (const Matrix& matrix : network.matrices()) {
    const std::vector<double>& want = expected.at(matrix.name);
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(actual[matrix.offset + i], want[i], tolerance * largest) << matrix.name << "[" << i << "]";
  }
}

}  // namespace atto::reference
