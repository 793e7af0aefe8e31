// Transformers of random shapes with random weights and batches, against the complex step.
#pragma once

#include <random>

#include "reference/transformer_engine.h"

namespace atto::reference {

inline TransformerBatch random_batch(const TransformerShape& shape, int samples, std::mt19937& random) {
  TransformerBatch batch;
  batch.samples = samples;
  batch.asked = shape.tokens ? shape.context - shape.first_asked : 1;
  std::normal_distribution<double> normal;
  const auto draw = [&](std::vector<double>& numbers, int count) {
    for (int i = 0; i < count; ++i) numbers.push_back(normal(random));
  };
  if (shape.tokens) {
    for (int i = 0; i < samples * shape.context; ++i)
      batch.tokens.push_back(static_cast<int>(random() % static_cast<unsigned>(shape.inputs)));
    for (int i = 0; i < samples * batch.asked; ++i)
      batch.targets.push_back(static_cast<int>(random() % static_cast<unsigned>(shape.inputs)));
    batch.weights.assign(static_cast<size_t>(batch.asked), 1.0);
  } else {
    draw(batch.inputs, samples * shape.context * shape.inputs);
    draw(batch.answers, samples * shape.outputs);
  }
  return batch;
}

// One network of every kind of option, drawn at random, with odd sizes.
inline TransformerShape random_shape(int layers, int heads, std::mt19937& random) {
  const auto coin = [&random] { return random() % 2 == 0; };
  const auto choose = [&random](auto... choices) {
    const std::common_type_t<decltype(choices)...> all[] = {choices...};
    return all[random() % sizeof...(choices)];
  };
  using Bias = TransformerShape::Bias;
  TransformerShape shape;
  shape.tokens = coin();
  shape.inputs = choose(3, 5);
  shape.outputs = shape.tokens ? shape.inputs : choose(1, 3);
  shape.context = choose(2, 3, 5);
  shape.first_asked = shape.tokens ? choose(0, shape.context - 2, shape.context - 1) : shape.context - 1;
  shape.layers = layers;
  shape.heads = heads;
  shape.width = heads * choose(1, 2, 3);
  shape.head_width = choose(1, 2, 3);
  shape.positions = choose(Positions::none, Positions::learned, Positions::sinusoidal);
  shape.causal = coin();
  shape.window = choose(0, 0, 1, 2);
  shape.stride = choose(1, 1, 2);
  shape.position_bias = choose(Bias::none, Bias::slope, Bias::free);
  if (shape.position_bias != Bias::none && !choose(true, true, false)) shape.scores = TransformerShape::Scores::none;
  shape.output = heads > 1 || coin();
  shape.residual = coin();
  shape.norm = coin();
  shape.biases = coin();
  shape.tied = shape.tokens && coin();
  shape.mlp = choose(TransformerShape::Mlp::none, TransformerShape::Mlp::gelu, TransformerShape::Mlp::relu);
  shape.mlp_factor = choose(1, 3);
  return shape;
}

inline Matrices<double> random_matrices(const Network& network, std::mt19937& random) {
  std::normal_distribution<double> normal(0, 0.6);
  Matrices<double> all;
  // Rounded to single precision, as the engine will see them.
  for (const Matrix& matrix : network.matrices())
    for (size_t i = 0; i < matrix.size(); ++i)
      all[matrix.name].push_back(static_cast<double>(static_cast<float>(normal(random))));
  return all;
}

// Loss and gradients of the engine against those of the reference, on weights and a batch drawn here.
inline void expect_complex_step(const TransformerShape& shape, std::mt19937& random) {
  const Network network(config_of(shape), batch_shape(shape));
  const Matrices<double> parameters = random_matrices(network, random);
  TransformerBatch batch = random_batch(shape, 3, random);
  for (double& number : batch.inputs) number = static_cast<double>(static_cast<float>(number));
  for (double& number : batch.answers) number = static_cast<double>(static_cast<float>(number));
  const TransformerResult result = evaluate(network, shape, to_arena(network, parameters), batch, 16);
  const double loss = mean_loss(shape, parameters, batch);
  EXPECT_NEAR(result.loss, loss, 1e-5 * std::max(1.0, loss));
  // Layer norm over one or two features divides by next to nothing now and then.
  const double tolerance = shape.norm && shape.width < 3 ? 1e-3 : 1e-4;
  expect_gradients(network, result.gradients, gradients(shape, parameters, batch), tolerance);
}

}  // namespace atto::reference
