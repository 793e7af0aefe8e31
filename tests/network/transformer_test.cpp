// The engine's transformer against PyTorch's golden vectors and against the complex step.
#include <gtest/gtest.h>

#include <random>

#include "reference/transformer_engine.h"
#include "reference/transformer_golden.h"
#include "reference/transformer_random.h"

namespace atto::reference {
namespace {

constexpr double kTolerance = 1e-5;  // of the largest gradient, in single precision

TEST(Transformer, LossAndGradientsEqualPyTorch) {
  on_every_transformer([](const TransformerGolden& golden) {
    const Network network(config_of(golden.shape()), batch_shape(golden.shape()));
    const std::vector<float> start = to_arena(network, golden.matrices("start"));
    for (const int lanes : {16, 32}) {
      const TransformerResult result = evaluate(network, golden.shape(), start, golden.batch(), lanes);
      EXPECT_NEAR(result.loss, golden.loss(), 2e-6 * std::max(1.0, golden.loss())) << lanes << " lanes";
      expect_gradients(network, result.gradients, golden.matrices("gradients"), kTolerance);
    }
  });
}

TEST(Transformer, GradientsEqualTheComplexStep) {
  std::mt19937 random(11);
  for (int round = 0; round < 8; ++round) {
    for (const int layers : {1, 2, 3}) {
      for (const int heads : {1, 2, 4}) {
        TransformerShape shape = random_shape(layers, heads, random);
        if (!needs_blocks(config_of(shape)) && shape.tokens) shape.biases = true;
        SCOPED_TRACE("round " + std::to_string(round) + ", " + std::to_string(layers) + " layers, " +
                     std::to_string(heads) + " heads");
        expect_complex_step(shape, random);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// An MLP takes 32 positions at a time; the second block and the rest after it have gradients of their own.
TEST(Transformer, GradientsOfAnMlpGoBeyondItsFirstBlockOfPositions) {
  std::mt19937 random(7);
  for (const auto mlp : {TransformerShape::Mlp::gelu, TransformerShape::Mlp::relu}) {
    TransformerShape shape;
    shape.inputs = shape.outputs = 3;
    shape.context = 70;
    shape.first_asked = 0;
    shape.width = shape.head_width = 2;
    shape.positions = Positions::learned;
    shape.mlp = mlp;
    shape.mlp_factor = 2;
    shape.biases = shape.residual = true;
    expect_complex_step(shape, random);
  }
}

// Tiles differ in the order of sums, and in nothing else.
TEST(Transformer, LossAndGradientsDoNotDependOnTiles) {
  std::mt19937 random(5);
  TransformerShape shape = random_shape(2, 2, random);
  shape.biases = shape.residual = true;
  const Network network(config_of(shape), batch_shape(shape));
  const std::vector<float> arena = to_arena(network, random_matrices(network, random));
  const TransformerBatch batch = random_batch(shape, 70, random);
  const TransformerResult one = evaluate(network, shape, arena, batch, 80);
  double largest = 0;
  for (const float g : one.gradients) largest = std::max(largest, std::abs(static_cast<double>(g)));
  for (const int lanes : {16, 32, 48}) {
    const TransformerResult cut = evaluate(network, shape, arena, batch, lanes);
    EXPECT_NEAR(cut.loss, one.loss, 1e-6 * one.loss);
    for (size_t i = 0; i < one.gradients.size(); ++i)
      ASSERT_NEAR(cut.gradients[i], one.gradients[i], 1e-5 * largest) << i;
  }
}

}  // namespace
}  // namespace atto::reference
