// Forms of attention beyond the softmax of dot products: gradients against the complex step, weights against the
// formulas, and what has no meaning refused.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "reference/transformer_random.h"

namespace atto::reference::attention_forms_test {
namespace {

using Scores = TransformerShape::Scores;
using Weights = TransformerShape::Weights;

// Names a form in a message.
std::string text_of(const TransformerShape& s) {
  return "scores " + std::to_string(static_cast<int>(s.scores)) + ", weights " +
         std::to_string(static_cast<int>(s.weights)) + (s.rotary ? ", rotary" : "") + (s.qk_norm ? ", qk_norm" : "") +
         (s.gate ? ", gate" : "") + (s.own ? "" : ", earlier") + (s.biases ? ", biases" : "") + ", H " +
         std::to_string(s.heads) + ", K " + std::to_string(s.head_width) + ", D " + std::to_string(s.width) + ", C " +
         std::to_string(s.context) + ", asked from " + std::to_string(s.first_asked);
}

// Every score with every way to weights; the rest is drawn.
template <class Check>
void on_every_form(std::mt19937& random, const Check& check) {
  const auto coin = [&random] { return random() % 2 == 0; };
  for (const Scores scores : {Scores::dot, Scores::distance, Scores::inverse, Scores::none})
    for (int weights = 0; weights <= static_cast<int>(Weights::linear_mean); ++weights) {
      TransformerShape form;
      form.scores = scores;
      form.power = coin() ? 3 : 0.7;
      form.weights = static_cast<Weights>(weights);
      form.gate = coin();
      if (scores != Scores::none) {
        form.rotary = coin();
        form.qk_norm = coin();
      }
      form.own = coin();
      check(form);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(AttentionForms, GradientsInBlocksEqualTheComplexStep) {
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round)
    for (const int layers : {1, 2})
      for (const int heads : {1, 2, 3})
        on_every_form(random, [&](const TransformerShape& form) {
          TransformerShape shape = random_shape(layers, heads, random);
          shape.scores = form.scores;
          shape.power = form.power;
          shape.weights = form.weights;
          shape.gate = form.gate;
          shape.rotary = form.rotary;
          shape.qk_norm = form.qk_norm;
          shape.own = form.own;
          if (!shape.own) shape.causal = true;
          if (shape.rotary) shape.positions = Positions::none;
          if (shape.rotary && shape.head_width == 1) shape.head_width = 3;
          if (shape.scores == Scores::none && shape.position_bias == TransformerShape::Bias::none)
            shape.position_bias = TransformerShape::Bias::free;
          SCOPED_TRACE(text_of(shape));
          validate(config_of(shape));
          expect_complex_step(shape, random);
        });
}

// One head with nothing around it has the narrow network's embedding and read-out.
TEST(AttentionForms, GradientsOfOneHeadEqualTheComplexStep) {
  std::mt19937 random(8);
  for (const int width : {1, 2, 3, 4, 6})
    for (const bool every : {false, true})
      on_every_form(random, [&](const TransformerShape& form) {
        if (form.scores == Scores::none) return;
        TransformerShape shape = form;
        shape.inputs = shape.outputs = 5;
        shape.context = 4;
        shape.first_asked = every ? 0 : 3;
        shape.width = shape.head_width = width;
        shape.causal = !shape.own || random() % 2 == 0;
        shape.rotary = shape.rotary && width > 1;
        shape.tied = random() % 2 == 0;
        const NetworkConfig config = config_of(shape);
        SCOPED_TRACE(text_of(shape));
        validate(config);
        EXPECT_FALSE(needs_blocks(config));
        expect_complex_step(shape, random);
      });
}

// The weights of the only head for one sequence of tokens 0, 1, 2, ..., [Q][C], and the scores if they are kept.
struct Seen {
  std::vector<float> weights, scores;
};
Seen attend(NetworkConfig config, int context, const std::vector<float>& parameters) {
  const Network network(config, {context, context, 0}, Keep::scores);
  Workspace work = network.make_workspace(16);
  for (int i = 0; i < context * 16; ++i) work.batch().tokens[i] = i / 16;
  EXPECT_EQ(parameters.size(), network.parameter_count());
  network.forward(parameters.data(), work);
  const auto column = [&](const char* address) {
    const atto::Rows* rows = network.find_rows(address);
    std::vector<float> numbers;
    for (int i = 0; i < rows->count; ++i)
      numbers.push_back(work.activations.data()[static_cast<size_t>(rows->first + i) * 16]);
    return numbers;
  };
  return {column("layer.0.attention.pattern"), column("layer.0.attention.scores")};
}

std::vector<float> starting(const NetworkConfig& config, int context) {
  const Network network(config, {context, context, 0});
  std::vector<float> parameters(network.parameter_count());
  network.initialise(3, parameters.data());
  return parameters;
}

TEST(AttentionForms, TheFirstQueryOfTheEarlierMaskSeesNothing) {
  NetworkConfig config;
  config.mask = Mask::earlier;
  for (const Normalizer normalizer : {Normalizer::softmax, Normalizer::plus_one, Normalizer::sink, Normalizer::sigmoid,
                                      Normalizer::linear, Normalizer::linear_mean}) {
    config.normalizer = normalizer;
    const Seen seen = attend(config, 3, starting(config, 3));
    for (const int hidden : {0, 1, 2, 4, 5, 8}) EXPECT_EQ(seen.weights[static_cast<size_t>(hidden)], 0) << hidden;
    EXPECT_NE(seen.weights[3], 0);
    EXPECT_NE(seen.weights[6], 0);
    EXPECT_NE(seen.weights[7], 0);
    if (normalizer == Normalizer::softmax) {
      EXPECT_EQ(seen.weights[3], 1);
      EXPECT_NEAR(seen.weights[6] + seen.weights[7], 1, 1e-6);
    }
  }
}

TEST(AttentionForms, KeptScoresGiveTheWeights) {
  NetworkConfig config;
  config.init_scale = 2;
  for (const char* kernel : {"dot", "distance", "inverse"}) {
    config.kernel = kernel;
    const Seen seen = attend(config, 3, starting(config, 3));
    double total = 0;
    for (size_t j = 0; j < 3; ++j) total += std::exp(seen.scores[6 + j]);
    for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(seen.weights[6 + j], std::exp(seen.scores[6 + j]) / total, 1e-5);
    EXPECT_EQ(seen.scores[1], 0);  // unseen
  }
}

TEST(AttentionForms, OneAddedToTheSumIsASinkOfLogitZero) {
  NetworkConfig config;
  config.normalizer = Normalizer::plus_one;
  const std::vector<float> start = starting(config, 4);
  const Seen one = attend(config, 4, start);
  config.normalizer = Normalizer::sink;
  const Network network(config, {4, 4, 0});
  const Seen sink = attend(config, 4, starting(config, 4));
  EXPECT_NE(network.find("blocks.0.attn.sink"), nullptr);
  EXPECT_EQ(one.weights, sink.weights);  // the logit starts at 0
  EXPECT_LT(one.weights[0], 1);
}

// Turning both by position leaves only the distance: with equal tokens, scores depend on i - j.
TEST(AttentionForms, RotationsSeeDistancesAlone) {
  NetworkConfig config;
  config.width = 4;
  config.positions = PositionKind::rotary;
  config.mask = Mask::full;
  config.init_scale = 2;
  const Network network(config, {1, 5, 0}, Keep::scores);
  std::vector<float> parameters(network.parameter_count());
  network.initialise(5, parameters.data());
  Workspace work = network.make_workspace(16);
  std::fill_n(work.batch().tokens, 5 * 16, 0);
  network.forward(parameters.data(), work);
  const atto::Rows* rows = network.find_rows("layer.0.attention.scores");
  const auto score = [&](int i, int j) {
    return work.activations.data()[static_cast<size_t>(rows->first + i * 5 + j) * 16];
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(score(i, j), score(i + 1, j + 1), 1e-6);
  EXPECT_GT(std::abs(score(0, 0) - score(3, 0)), 1e-4);
}

TEST(AttentionForms, WhatHasNoMeaningIsRefused) {
  const auto refused = [](const auto& change) {
    NetworkConfig config;
    config.width = 4;
    change(config);
    try {
      validate(config);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused([](NetworkConfig& c) {
              c.positions = PositionKind::rotary;
              c.head_width = 1;
            }).find("pairs of features"),
            std::string::npos);
  for (const bool rotary : {false, true})
    EXPECT_NE(refused([&](NetworkConfig& c) {
                c.kernel = "none";
                c.position_bias = BiasKind::slope;
                if (rotary) c.positions = PositionKind::rotary;
                else c.qk_norm = true;
              }).find("no queries and keys"),
              std::string::npos);
  EXPECT_EQ(refused([](NetworkConfig& c) {
              c.kernel = "inverse";
              c.heads = 2;
              c.output = true;
              c.layers = 2;
            }),
            "");
}

}  // namespace
}  // namespace atto::reference::attention_forms_test
