// Stacks: their names, their gradients, the networks that today's shorthands stand for, and what is refused.
#include "network/stack.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "reference/transformer_random.h"

namespace atto::reference::stack_test {
namespace {

using Words = std::vector<std::string>;

std::vector<int> blocks_of(const Words& stack) {
  NetworkConfig config;
  config.stack = stack;
  config.mlp = "relu";
  std::vector<int> blocks;
  for (const StackPart& part : stack_of(config)) blocks.push_back(part.block);
  return blocks;
}

TEST(Stack, PartsThatDoNotFitBehindOpenTheNextBlock) {
  using Blocks = std::vector<int>;
  EXPECT_EQ(blocks_of({}), Blocks());
  EXPECT_EQ(blocks_of({"attention", "mlp", "attention", "mlp"}), (Blocks{0, 0, 1, 1}));
  EXPECT_EQ(blocks_of({"attention", "attention"}), (Blocks{0, 1}));
  EXPECT_EQ(blocks_of({"mlp", "attention", "linear"}), (Blocks{0, 1, 1}));
  EXPECT_EQ(blocks_of({"linear", "mlp", "mlp"}), (Blocks{0, 1, 2}));
  NetworkConfig config;
  config.stack = {"mlp", "attention", "linear", "attention"};
  EXPECT_EQ(attention_blocks(config), (Blocks{1, 2}));
  EXPECT_EQ(block_count(config), 3);
}

TEST(Stack, GradientsEqualTheComplexStep) {
  std::mt19937 random(21);
  const std::vector<Words> stacks = {{},
                                     {"linear"},
                                     {"mlp"},
                                     {"linear", "mlp", "linear"},
                                     {"mlp", "attention"},
                                     {"attention", "linear"},
                                     {"linear", "attention", "mlp", "linear"},
                                     {"attention", "mlp", "mlp", "attention", "linear"}};
  for (int round = 0; round < 6; ++round)
    for (const Words& stack : stacks) {
      TransformerShape shape = random_shape(1, 2, random);
      const auto has = [&](const char* part) { return std::find(stack.begin(), stack.end(), part) != stack.end(); };
      shape.stacked = true;
      shape.parts = stack;
      if (has("mlp") && shape.mlp == TransformerShape::Mlp::none) shape.mlp = TransformerShape::Mlp::gelu;
      if (!has("mlp")) shape.mlp = TransformerShape::Mlp::none;
      if (!has("attention")) {  // its settings stay at their defaults
        const TransformerShape plain;
        shape.heads = plain.heads;
        shape.head_width = shape.width;
        shape.output = plain.output;
        shape.window = plain.window;
        shape.stride = plain.stride;
        shape.causal = plain.causal;
        shape.scores = plain.scores;
        shape.position_bias = plain.position_bias;
        if (stack.empty()) shape.residual = false;
      }
      std::string text = shape.tokens ? "tokens" : "vectors";
      for (const std::string& part : stack) text += " " + part;
      SCOPED_TRACE(text + ", asked from " + std::to_string(shape.first_asked) + " of " + std::to_string(shape.context));
      validate(config_of(shape));
      expect_complex_step(shape, random);
      if (testing::Test::HasFailure()) return;
    }
}

// A stack that a shorthand stands for is the same network to the last bit, names included.
TEST(Stack, EqualsItsShorthand) {
  struct Pair {
    Words stack;
    int64_t layers;
    const char* mlp;
  };
  const std::vector<Pair> pairs = {{{"attention"}, 1, "none"},
                                   {{"attention", "attention", "attention"}, 3, "none"},
                                   {{"attention", "mlp"}, 1, "relu"},
                                   {{"attention", "mlp", "attention", "mlp"}, 2, "gelu"}};
  std::mt19937 random(4);
  for (const Pair& pair : pairs) {
    NetworkConfig shorthand, stacked;
    shorthand.width = stacked.width = 3;
    shorthand.mlp = stacked.mlp = pair.mlp;
    shorthand.layers = pair.layers;
    stacked.stack = pair.stack;
    EXPECT_EQ(needs_blocks(shorthand), needs_blocks(stacked));
    EXPECT_EQ(sees_order(shorthand), sees_order(stacked));
    TransformerShape shape;
    shape.inputs = shape.outputs = 5;
    shape.context = 4;
    shape.first_asked = 3;
    const TransformerBatch batch = random_batch(shape, 20, random);
    std::vector<float> gradients[2];
    for (const NetworkConfig* config : {&shorthand, &stacked}) {
      const Network network(*config, batch_shape(shape));
      std::vector<float> parameters(network.parameter_count());
      network.initialise(9, parameters.data());
      gradients[config == &stacked] = evaluate(network, shape, parameters, batch, 32).gradients;
    }
    EXPECT_EQ(gradients[0], gradients[1]);
  }
}

TEST(Stack, WhatCannotBeBuiltOrHasNoEffectIsRefused) {
  const auto refused = [](const auto& change) {
    NetworkConfig config;
    change(config);
    try {
      validate(config);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [&](const char* part, const auto& change) {
    EXPECT_NE(refused(change).find(part), std::string::npos) << refused(change);
  };
  using C = NetworkConfig;
  expect("network.mlp = \"none\"", [](C& c) { c.stack = {"attention", "mlp"}; });
  expect("network.stack has no mlp", [](C& c) { c.stack = {"attention"}, c.mlp = "gelu"; });
  expect("network.layers = 2 has no effect", [](C& c) { c.stack = {"attention"}, c.layers = 2; });
  expect("among other parts", [](C& c) { c.stack = {"attention", "blocks"}; });
  expect("at most 128", [](C& c) { c.stack = Words(129, "linear"); });
  expect("network.residual = true has no effect", [](C& c) { c.stack = {}, c.residual = true; });
  expect("network.window = 2 has no effect", [](C& c) { c.stack = {"linear"}, c.window = 2; });
  expect("network.mask = \"full\" has no effect", [](C& c) { c.stack = {}, c.mask = Mask::full; });
  expect("network.normalizer = \"sink\" has no effect", [](C& c) { c.stack = {}, c.normalizer = Normalizer::sink; });
  EXPECT_EQ(refused([](C& c) { c.stack = {}, c.norm = NormKind::pre; }), "");
  EXPECT_EQ(refused([](C& c) { c.stack = {"linear", "attention"}, c.residual = true; }), "");
}

}  // namespace
}  // namespace atto::reference::stack_test
